import type { JSX } from 'preact';
import { session } from '../../app/session.ts';
import { Confirm, say } from '../../parts/act.tsx';
import { commandLine, counted, visible } from '../../parts/text.ts';
import { call } from '../../rpc/client.ts';
import { reloadAll } from '../../rpc/use-call.ts';
import type { UsedKey } from './rotation-state.ts';
import { Holders } from './verdict.tsx';

/** Ends a key, and says before whom it breaks. */
export function RetireKey({
  of,
  onClose,
}: {
  readonly of: UsedKey;
  readonly onClose: () => void;
}): JSX.Element {
  const { kid, role, verdict, reason, holders } = of;
  const { live_connections: connections, live_subscriptions: subscriptions } = of;
  const isSafe = verdict === 'safe';
  const isOwn = holders.some(({ type, sub }) => type === 'mgmt' && sub === session.value?.subject);
  return (
    <Confirm
      title={`Retire the key ${visible(kid)}?`}
      verb="Retire key"
      line={commandLine('keys', 'retire', kid)}
      isDanger
      {...(isSafe ? {} : { typed: kid })}
      onClose={onClose}
      act={async () => {
        await call('RetireKey', { id: kid });
        say('Retired the key.');
        reloadAll();
      }}
    >
      <p>
        {isSafe
          ? 'Nothing depends on it: every token that it signed has expired.'
          : verdict === 'active'
            ? 'Every token that it signed is refused from now on.'
            : `Every token that it signed is refused from now on: ${visible(reason)}.`}
        {role === 'active' && ' It signs now, so the newest other key takes its place.'}
      </p>
      {!isSafe && (
        <>
          <p>{`${counted(connections, 'connection')} and ${counted(subscriptions, 'subscription')} depend on it and end within five seconds. The holders need new tokens.`}</p>
          {isOwn && (
            <p class="strong">
              Your own session may depend on it. If so, it ends and you need a new token to sign in.
            </p>
          )}
          <Holders holders={holders} />
        </>
      )}
    </Confirm>
  );
}
