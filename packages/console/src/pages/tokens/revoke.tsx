import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ConfirmCall } from '../../parts/confirm-call.tsx';
import { TextField } from '../../parts/field.tsx';
import { commandLine } from '../../parts/text.ts';
import { reloadAll } from '../../rpc/use-call.ts';

/** Ends one token by its id. */
export function RevokeToken({
  jti: known = '',
  user = '',
  onClose,
}: {
  readonly jti?: string;
  readonly user?: string;
  readonly onClose: () => void;
}): JSX.Element {
  const [jti, setJti] = useState(known);
  const [reason, setReason] = useState('');
  const flags = [...(user === '' ? [] : ['--user', user]), ...(reason === '' ? [] : ['--reason', reason])];
  return (
    <ConfirmCall
      title="Revoke this token?"
      verb="Revoke token"
      line={commandLine('tokens', 'revoke', jti === '' ? '<token-id>' : jti, ...flags)}
      isDanger
      isReady={jti !== ''}
      method="RevokeToken"
      request={{ token_id: jti, user_id: user, reason }}
      done="Revoked the token."
      onDone={reloadAll}
      onClose={onClose}
    >
      <p>
        Every node refuses it within five seconds, and subscriptions and sessions that depend on it end. This
        cannot be undone.
      </p>
      <TextField
        id="revoke-jti"
        label="Token id"
        isName
        text={jti}
        onText={text => setJti(text.trim())}
        help="The claim jti, not the token itself. Inspect the token to find it."
      />
      <TextField id="revoke-why" label="Reason" text={reason} onText={setReason} help="The audit shows it." />
    </ConfirmCall>
  );
}
