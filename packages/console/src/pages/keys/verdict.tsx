import type { JSX } from 'preact';
import { session } from '../../app/session.ts';
import { Badge, State, type Tone } from '../../parts/basics.tsx';
import { visible } from '../../parts/text.ts';
import { Ago, Until } from '../../parts/time.tsx';
import type { UsedKey } from './rotation-state.ts';

const VERDICTS: Readonly<Record<string, readonly [tone: Tone, words: string]>> = {
  active: ['ok', 'Signs'],
  safe: ['ok', 'Safe to retire'],
  in_use: ['warn', 'In use'],
  wait: ['warn', 'Wait'],
  unknown: ['off', 'Not known'],
};

/** Whether a key may be retired. */
export function Verdict({ of: { role, verdict } }: { readonly of: UsedKey }): JSX.Element {
  if (role === 'retired') return <State tone="off">Retired</State>;
  const [tone, words] = VERDICTS[verdict] ?? (['off', verdict] as const);
  return <State tone={tone}>{words}</State>;
}

/** Who presented a token of a key lately. */
export function Holders({ holders }: { readonly holders: UsedKey['holders'] }): JSX.Element {
  if (holders.length === 0) return <p class="small soft">No holder of its tokens was seen recently.</p>;
  return (
    <div class="stack s3">
      <h3 class="small">{`Recent holders, at least ${holders.length}`}</h3>
      <ul class="plain">
        {holders.map(({ sub, type, last_seen: at, expires_unix: ends }) => (
          <li key={`${type} ${sub}`} class="line tight">
            <span class="wrap">{visible(sub) || 'no subject'}</span>
            {type === 'mgmt' && sub === session.value?.subject && <Badge tone="warn">you</Badge>}
            <span class="mute">
              {`${type}, seen `}
              <Ago at={at} />
              {', ends '}
              <Until at={ends * 1000} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
