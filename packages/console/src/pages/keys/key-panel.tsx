import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { setQuery } from '../../app/address.ts';
import { ActButton } from '../../parts/act.tsx';
import { Facts, Name } from '../../parts/basics.tsx';
import { Icon } from '../../parts/icon.tsx';
import { visible } from '../../parts/text.ts';
import { Ago, Until } from '../../parts/time.tsx';
import { RetireKey } from './retire.tsx';
import type { UsedKey } from './rotation-state.ts';
import { Holders, Verdict } from './verdict.tsx';

const TYPES = ['access', 'refresh', 'mgmt'] as const;
const NAMES = { access: 'Access tokens', refresh: 'Refresh tokens', mgmt: 'Management tokens' } as const;

/** One key beside the list: its life, and who depends on it. */
export function KeyPanel({ of }: { readonly of: UsedKey }): JSX.Element {
  const [isRetiring, setRetiring] = useState(false);
  const { kid, role, fingerprint, reason, wait_until: waitUntil, holders } = of;
  return (
    <section class="panel side-panel" aria-labelledby="key">
      <header>
        <h2 id="key">
          Key <span class="mono wrap">{visible(kid)}</span>
        </h2>
        <button
          class="btn quiet only sm"
          type="button"
          aria-label="Close"
          onClick={() => setQuery({ key: '' })}
        >
          <Icon name="x" />
        </button>
      </header>
      <div class="body stack s4">
        <p class="wrap">
          <Verdict of={of} />
          {of.verdict === 'active' ? '.' : `: ${visible(reason)}.`}
          {waitUntil !== '' && (
            <>
              {' '}
              Safe at the earliest <Until at={Date.parse(waitUntil)} />.
            </>
          )}
        </p>
        <Facts
          isList
          rows={[
            ...timesOf(of),
            ['Algorithm', of.alg || '–'],
            ['Fingerprint', <Name text={fingerprint || '–'} />],
          ]}
        />
        <Holders holders={holders} />
        {role !== 'retired' && (
          <div>
            <ActButton method="RetireKey" look="risky" onAct={() => setRetiring(true)}>
              Retire…
            </ActButton>
          </div>
        )}
      </div>
      {isRetiring && <RetireKey of={of} onClose={() => setRetiring(false)} />}
    </section>
  );
}

function timesOf(key: UsedKey): (readonly [string, JSX.Element])[] {
  const { created_at, promoted_at, demoted_at, retired_at, issued_until, seen_last } = key;
  const moments = [
    ['Created', created_at],
    ['Began to sign', promoted_at],
    ['Ended to sign', demoted_at],
    ['Retired', retired_at],
  ] as const;
  return [
    ...moments.flatMap(([label, at]) => (at === '' ? [] : [[label, <Ago at={at} />] as const])),
    ...TYPES.flatMap(type => {
      const until = issued_until[type];
      const seen = seen_last[type];
      if (until === '' && seen === '') return [];
      return [
        [
          NAMES[type],
          <span>
            {until !== '' && (
              <>
                end <Until at={Date.parse(until)} />
              </>
            )}
            {seen !== '' && (
              <>
                {until === '' ? 'seen ' : ', seen '}
                <Ago at={seen} />
              </>
            )}
          </span>,
        ] as const,
      ];
    }),
  ];
}
