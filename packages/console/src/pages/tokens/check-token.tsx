import { isValidName, type MsgError, type Verb } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Command } from '../../parts/basics.tsx';
import { Fault } from '../../parts/fault.tsx';
import { ChoiceField, TextField } from '../../parts/field.tsx';
import { commandLine } from '../../parts/text.ts';
import { call } from '../../rpc/client.ts';
import { Decision } from '../channels/decision.tsx';
import type { Decided } from '../channels/decision-steps.tsx';

const VERBS = [
  ['subscribe', 'subscribe'],
  ['publish', 'publish'],
  ['manage', 'manage'],
] as const;

/** Asks the server about a token, which sends it there. */
export function CheckToken({
  token,
  channel,
}: {
  readonly token: string;
  readonly channel: string;
}): JSX.Element {
  const [name, setName] = useState(isValidName(channel) ? channel : '');
  const [verb, setVerb] = useState<Verb>('subscribe');
  const [decided, setDecided] = useState<Decided>();
  const [error, setError] = useState<MsgError>();
  const ask = (event: Event): void => {
    event.preventDefault();
    setError(undefined);
    setDecided(undefined);
    call('ExplainAccess', { name, verb, token }).then(
      answer => setDecided({ answer, verb }),
      (cause: unknown) => setError(toMsgError(cause)),
    );
  };
  return (
    <>
      <section class="panel" aria-labelledby="check">
        <header>
          <h2 id="check">Check with the server</h2>
        </header>
        <form class="body stack s4 narrow" onSubmit={ask}>
          <p class="small soft">
            The server checks the signature, the key, revocations and the channel. The token is sent to it and
            is not stored.
          </p>
          <div class="pair">
            <TextField
              id="check-name"
              label="Channel"
              isName
              text={name}
              onText={text => setName(text.trim())}
              isBad={name !== '' && !isValidName(name)}
            />
            <ChoiceField
              id="check-verb"
              label="Verb"
              value={verb}
              choices={VERBS}
              onChoice={value => setVerb(value as Verb)}
            />
          </div>
          <div class="line">
            <button class="btn" type="submit" disabled={!isValidName(name)}>
              Check with the server
            </button>
            {isValidName(name) && <Command line={commandLine('authz', 'explain', name, verb, '-')} />}
          </div>
        </form>
      </section>
      {error !== undefined && <Fault error={error} />}
      {decided !== undefined && <Decision {...decided} />}
    </>
  );
}
