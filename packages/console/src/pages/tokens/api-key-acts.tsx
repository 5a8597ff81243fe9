import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm } from '../../parts/act.tsx';
import { ConfirmCall } from '../../parts/confirm-call.tsx';
import { TextField } from '../../parts/field.tsx';
import { flagsOf, GrantFields, isGood, NO_GRANTS, scopesOf } from '../../parts/grants.tsx';
import { ShownOnce } from '../../parts/once.tsx';
import { commandLine } from '../../parts/text.ts';
import { call } from '../../rpc/client.ts';
import { reloadAll } from '../../rpc/use-call.ts';
import { secondsOf, TermFields, termOf } from './term.tsx';

const NAME = /^[a-z0-9-]{1,64}$/;
const YEARS = 10 * 366 * 86_400;

function KeyOnce({
  name,
  text,
  onClose,
}: {
  readonly name: string;
  readonly text: string;
  readonly onClose: () => void;
}): JSX.Element {
  return (
    <ShownOnce title={`The API key ${name}`} texts={[['key', text]]} onClose={onClose}>
      It is shown once; the server stores only a digest. Add it to the secrets of the back end.
    </ShownOnce>
  );
}

/** Makes a key for a back end. */
export function CreateApiKey({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [name, setName] = useState('');
  const [term, setTerm] = useState(termOf('0'));
  const [grants, setGrants] = useState({ ...NO_GRANTS, verbs: ['publish'] as readonly string[] });
  const [made, setMade] = useState<string>();
  const { role, ttl } = term;
  const seconds = ttl === '0' ? 0 : secondsOf(ttl, 60, YEARS);
  if (made !== undefined) return <KeyOnce name={name} text={made} onClose={onClose} />;
  return (
    <Confirm
      title="Create an API key?"
      verb="Create key"
      line={commandLine(
        'api-keys',
        'create',
        name === '' ? '<name>' : name,
        '--role',
        role,
        ...flagsOf(grants),
        ...(seconds === 0 ? [] : ['--ttl', ttl]),
      )}
      isReady={NAME.test(name) && seconds !== undefined && isGood(grants)}
      staysOpen
      onClose={onClose}
      act={async () => {
        const rights = scopesOf(grants).map(({ pattern, verbs }) => ({ pattern, verbs }));
        const { key } = await call('CreateApiKey', {
          name,
          role,
          grants: rights,
          ttl_seconds: seconds ?? 0,
        });
        setMade(key);
        reloadAll();
      }}
    >
      <p>
        A back end uses it to call the RPC and the HTTP API. The audit shows its calls as key:&lt;name&gt;.
      </p>
      <TextField
        id="key-name"
        label="Name"
        isName
        text={name}
        isBad={name !== '' && !NAME.test(name)}
        onText={text => setName(text.trim())}
        help="1 to 64 of a-z, 0-9 and -."
      />
      <TermFields
        id="key"
        term={term}
        isBad={seconds === undefined}
        help="A duration such as 720h, or 0 for a key that does not expire"
        onTerm={setTerm}
      />
      <GrantFields form={grants} onForm={setGrants} none="Empty: every channel that you have access to." />
    </Confirm>
  );
}

/** Adds a secret to a key; the earlier ones stay valid for the overlap. */
export function RotateApiKey({
  name,
  onClose,
}: {
  readonly name: string;
  readonly onClose: () => void;
}): JSX.Element {
  const [overlap, setOverlap] = useState('24h');
  const [made, setMade] = useState<string>();
  const seconds = overlap === '0' ? 0 : secondsOf(overlap, 1, YEARS);
  if (made !== undefined) return <KeyOnce name={name} text={made} onClose={onClose} />;
  return (
    <Confirm
      title={`Rotate the API key ${name}?`}
      verb="Rotate key"
      line={commandLine('api-keys', 'rotate', name, '--overlap', overlap === '0' ? '0s' : overlap)}
      isReady={seconds !== undefined}
      staysOpen
      onClose={onClose}
      act={async () => {
        setMade((await call('RotateApiKey', { name, overlap_seconds: seconds ?? 0 })).key);
        reloadAll();
      }}
    >
      <p>
        A new secret is shown once. Earlier secrets stay valid for the overlap, so that back ends can switch
        without a gap.
      </p>
      <TextField
        id="key-overlap"
        label="Overlap"
        text={overlap}
        isBad={seconds === undefined}
        onText={text => setOverlap(text.trim())}
        help="A duration such as 24h or 30m, or 0 to end the earlier secrets at once"
      />
    </Confirm>
  );
}

/** Ends a key. */
export function RevokeApiKey({
  name,
  onClose,
}: {
  readonly name: string;
  readonly onClose: () => void;
}): JSX.Element {
  return (
    <ConfirmCall
      title={`Revoke the API key ${name}?`}
      verb="Revoke key"
      line={commandLine('api-keys', 'revoke', name)}
      isDanger
      typed={name}
      method="RevokeApiKey"
      request={{ name }}
      done="Revoked the API key."
      onDone={reloadAll}
      onClose={onClose}
    >
      <p>All its secrets are refused on every node within five seconds. Back ends that still use it fail.</p>
    </ConfirmCall>
  );
}
