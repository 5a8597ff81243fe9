import type { RpcResponse } from '@msg/core';
import type { ComponentChildren, JSX } from 'preact';
import { Badge, Empty, State } from '../parts/basics.tsx';
import { MissingNodes } from '../parts/listing.tsx';
import { Answer, type Column, Table } from '../parts/table.tsx';
import { visible, whole } from '../parts/text.ts';
import { useCall } from '../rpc/use-call.ts';

type Limit = RpcResponse<'Manifest'>['payload']['rate_limits']['publish'];

interface LimitRow {
  readonly what: string;
  readonly key: string;
  readonly limit: Limit;
}

const LIMITS: readonly Column<LimitRow>[] = [
  { label: 'Bucket', show: ({ what }) => <span class="wrap">{visible(what)}</span> },
  {
    label: 'Rate',
    show: ({ limit: { rate, per } }): ComponentChildren =>
      rate === 0 ? <State tone="off">Unlimited</State> : `${rate} in ${per}`,
    isNumber: true,
  },
  {
    label: 'At once',
    show: ({ limit: { rate, burst } }) => (rate === 0 ? '–' : burst === 0 ? rate : burst),
    isNumber: true,
  },
  { label: 'Setting', show: ({ key }) => <Badge>{key}</Badge>, isSecond: true, isFull: true },
];

/** How much the service lets pass, and what it let pass lately. */
export function Limits(): JSX.Element {
  const manifest = useCall('Manifest', {});
  return (
    <Answer call={manifest}>
      {({ payload: { rate_limits: limits } }) => {
        const rows: LimitRow[] = [
          { what: 'Publications, per subject', key: 'rate_limits.publish.rate', limit: limits.publish },
          { what: 'Subscriptions, per subject', key: 'rate_limits.subscribe.rate', limit: limits.subscribe },
          { what: 'Tokens, per address', key: 'rate_limits.token_issue.rate', limit: limits.token_issue },
          ...(limits.per_channel_publish ?? []).map(({ pattern, limit }) => ({
            what: `Publications in ${pattern}`,
            key: 'rate_limits.per_channel_publish',
            limit,
          })),
        ];
        const isOpen = rows.every(({ limit }) => limit.rate === 0);
        return (
          <div class="stack s5">
            <section class="panel" aria-label="Limits">
              <Table caption="Rate limits" columns={LIMITS} rows={rows} keyOf={({ what }) => what} />
              {isOpen && (
                <Empty title="Nothing is limited" line="msg serve --publish-rate 100/s">
                  A rate limit refuses calls above its rate with MSG_RATE_LIMITED.
                </Empty>
              )}
            </section>
            <Decisions />
          </div>
        );
      }}
    </Answer>
  );
}

interface DecisionRow {
  readonly bucket: string;
  readonly allowed: number;
  readonly denied: number;
}

const BUCKETS: Readonly<Record<string, string>> = {
  publish: 'Publications by the RPC',
  'publish-client': 'Publications by clients',
  'publish-channel': 'Publications by the RPC, limits by channel',
  'publish-channel-client': 'Publications by clients, limits by channel',
  subscribe: 'Subscriptions',
  'token-issue': 'Tokens',
  open: 'Openings of declared channels',
  append: 'Requests of append streams',
};

const DECISIONS: readonly Column<DecisionRow>[] = [
  {
    label: 'Bucket',
    show: ({ bucket }) => (
      <span class="wrap">
        {BUCKETS[bucket] ?? visible(bucket)} <Badge>{bucket}</Badge>
      </span>
    ),
  },
  { label: 'Allowed', show: ({ allowed }) => whole(allowed), isNumber: true },
  {
    label: 'Refused',
    show: ({ denied }) => (denied === 0 ? '0' : <State tone="warn">{whole(denied)}</State>),
    isNumber: true,
  },
];

/** What the buckets decided in the last minute, over all nodes. */
function Decisions(): JSX.Element {
  const list = useCall('ListNodes', {}, { repeats: true });
  return (
    <Answer call={list}>
      {({ nodes, missing_nodes: missing }) => {
        const seconds = Math.round(Math.max(0, ...nodes.map(({ rates }) => rates.seconds)));
        const rows = sumsOf(nodes);
        return (
          <section class="panel" aria-labelledby="decisions">
            <header>
              <h2 id="decisions">Decisions</h2>
              <span class="small mute">
                {seconds === 0
                  ? 'Counted from now on'
                  : seconds < 60
                    ? `Over the last ${seconds} s`
                    : 'Over the last minute'}
              </span>
            </header>
            <MissingNodes nodes={missing} />
            {rows.length === 0 ? (
              <Empty title="No bucket has decided yet" line="msg nodes list">
                A bucket appears here with the first call that it looks at. Unlimited buckets decide nothing.
              </Empty>
            ) : (
              <Table
                caption="Decisions of rate limits"
                columns={DECISIONS}
                rows={rows}
                keyOf={({ bucket }) => bucket}
              />
            )}
          </section>
        );
      }}
    </Answer>
  );
}

function sumsOf(nodes: RpcResponse<'ListNodes'>['nodes']): readonly DecisionRow[] {
  const sums = new Map<string, DecisionRow>();
  for (const { bucket, allowed, denied } of nodes.flatMap(({ limits }) => limits)) {
    const sum = sums.get(bucket);
    sums.set(bucket, {
      bucket,
      allowed: allowed + (sum?.allowed ?? 0),
      denied: denied + (sum?.denied ?? 0),
    });
  }
  return [...sums.values()].toSorted((a, b) => b.denied - a.denied || b.allowed - a.allowed);
}
