import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ActButton } from '../../parts/act.tsx';
import { counted, visible } from '../../parts/text.ts';
import { Countdown, currentTime, Until } from '../../parts/time.tsx';
import { IssueMgmt } from '../tokens/issue.tsx';
import { mgmtHolders, type UsedKey } from './rotation-state.ts';

/** Management tokens live for days, so each holder of one that the old key signed needs a new one. */
export function NewTokens({ of }: { readonly of: UsedKey }): JSX.Element {
  const [subject, setSubject] = useState<string>();
  const holders = mgmtHolders(of);
  return (
    <div class="stack s3">
      <p class="small soft">
        {holders.length === 0
          ? 'No holder of a management token of the old key was seen.'
          : 'These holders used management tokens of the old key. There may be others.'}
      </p>
      {holders.length > 0 && (
        <ul class="plain">
          {holders.map(holder => (
            <li key={holder} class="line tight">
              <span class="wrap">{visible(holder) || 'no subject'}</span>
              <ActButton method="IssueMgmt" look="sm" onAct={() => setSubject(holder)}>
                New token…
              </ActButton>
            </li>
          ))}
        </ul>
      )}
      {subject !== undefined && <IssueMgmt subject={subject} onClose={() => setSubject(undefined)} />}
    </div>
  );
}

const HOUR_MS = 3_600_000;

/** How long the old key is still needed, and by whom. */
export function Waiting({ of }: { readonly of: UsedKey }): JSX.Element {
  const { verdict, reason, wait_until: until } = of;
  const { live_connections: connections, live_subscriptions: subscriptions } = of;
  const ends = Date.parse(until);
  const begun = Date.parse(of.demoted_at);
  if (verdict === 'safe') return <p class="small soft">{`${visible(reason)}.`}</p>;
  return (
    <div class="stack s3">
      <p class="wrap">
        {`${visible(reason)}.`}
        {until !== '' && (
          <>
            {' At the earliest '}
            <span class="strong">
              {ends - currentTime() < HOUR_MS && ends > currentTime() ? (
                <>
                  in <Countdown at={ends} />
                </>
              ) : (
                <Until at={ends} />
              )}
            </span>
            .
          </>
        )}
      </p>
      {until !== '' && begun > 0 && (
        <progress
          class="progress"
          max={Math.max(1, ends - begun)}
          value={Math.max(0, currentTime() - begun)}
          aria-label="Time until the old key is safe to retire"
        />
      )}
      <p class="small soft">
        {`${counted(connections, 'connection')}, ${counted(subscriptions, 'subscription')}, ${counted(of.holders.length, 'holder')} seen. You can close this page while you wait.`}
      </p>
    </div>
  );
}
