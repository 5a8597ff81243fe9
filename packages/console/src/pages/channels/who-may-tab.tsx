import type { MsgError, Verb } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Command } from '../../parts/basics.tsx';
import { Fault } from '../../parts/fault.tsx';
import { commandLine } from '../../parts/text.ts';
import { call } from '../../rpc/client.ts';
import { Decision } from './decision.tsx';
import type { Decided } from './decision-steps.tsx';

const VERBS: readonly Verb[] = ['subscribe', 'publish', 'manage'];
const CLIENT = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Who may do what in a channel, and which rule says so. */
export function WhoMayTab({ name }: { readonly name: string }): JSX.Element {
  const [verb, setVerb] = useState<Verb>('subscribe');
  const [text, setText] = useState('');
  const [decided, setDecided] = useState<Decided>();
  const [error, setError] = useState<MsgError>();
  const isClient = CLIENT.test(text);
  const ask = async (event: Event): Promise<void> => {
    event.preventDefault();
    setError(undefined);
    setDecided(undefined);
    const by = isClient ? { client: text } : { token: text };
    try {
      setDecided({ answer: await call('ExplainAccess', { name, verb, ...by }), verb });
    } catch (cause) {
      setError(toMsgError(cause));
    }
  };
  const subject = isClient ? ['--client', text] : text === '' ? [] : ['-'];
  return (
    <div class="stack s4">
      <section class="panel" aria-label="Who may">
        <form class="inner stack s4 narrow" onSubmit={event => void ask(event)}>
          <div class="field">
            <label for="who-verb">May a client</label>
            <select
              class="select"
              id="who-verb"
              value={verb}
              onChange={event => setVerb(event.currentTarget.value as Verb)}
            >
              {VERBS.map(one => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </div>
          <div class="field">
            <label for="who-token">Access token, or id of a live connection</label>
            <input
              class="input mono"
              id="who-token"
              type={isClient || text === '' ? 'text' : 'password'}
              autocomplete="off"
              spellcheck={false}
              aria-describedby="who-help"
              value={text}
              onInput={event => setText(event.currentTarget.value.trim())}
            />
            <span class="help" id="who-help">
              Empty: a client without a token. The text is sent to the server and is not stored.
            </span>
          </div>
          <div class="line">
            <button class="btn primary" type="submit">
              Explain
            </button>
            <Command line={commandLine('authz', 'explain', name, verb, ...subject)} />
          </div>
        </form>
      </section>
      {error !== undefined && <Fault error={error} />}
      {decided !== undefined && <Decision {...decided} />}
    </div>
  );
}
