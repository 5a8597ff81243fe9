import type { NodeHealth, NodeRow } from './row.ts';
import type { Minute } from './totals.ts';

/** What an operator should look at. */
export interface Hint {
  readonly name: string;
  readonly severity: 'critical' | 'warning' | 'info';
  /** Since when the node has seen it, Unix milliseconds. */
  readonly since: number;
  readonly node: string;
  readonly value: number;
  readonly threshold: number;
  /** A heading of the documentation. */
  readonly doc: string;
}

/** A hint before it has a time. */
export type UndatedHint = Omit<Hint, 'since'>;

/** What a node judges. */
export interface HintFacts {
  readonly row: NodeRow;
  readonly minute: Minute;
  readonly health: NodeHealth;
  /** The bearer check is off. */
  readonly noAuth: boolean;
  /** Where the signing keys are. */
  readonly keyring: string;
  /** The store of the signing keys is looked at. */
  readonly watchUp: boolean;
  readonly activeKeyAgeSeconds: number;
  /** Live feeds of operators on the node, and tails in them. */
  readonly feeds: number;
  readonly tails: number;
}

/** A rule that one node can judge. */
export interface HintRule {
  /** The name of the alert rule, where there is one. */
  readonly name: string;
  readonly severity: Hint['severity'];
  readonly threshold: number;
  /** The value that is above the threshold when something is wrong; undefined: it cannot be judged now. */
  value(facts: HintFacts): number | undefined;
}

/** A share of calls; undefined without calls. */
function share(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

function perSecond({ seconds }: Minute, count: number): number | undefined {
  return seconds === 0 ? undefined : count / seconds;
}

/** Rules with the names and thresholds of `ops/prometheus/alerts.yaml`. */
export const ALERT_HINTS: readonly HintRule[] = [
  {
    name: 'MsgSubsystemDown',
    severity: 'critical',
    threshold: 0,
    value: ({ health }) => Object.values(health.subsystems).filter(({ ok }) => !ok).length,
  },
  {
    name: 'MsgPublishFailures',
    severity: 'warning',
    threshold: 0.05,
    value: ({ minute: { counted } }) => share(counted.publishFailures, counted.publishes),
  },
  {
    name: 'MsgServerErrors',
    severity: 'warning',
    threshold: 0,
    value: ({ minute }) => perSecond(minute, minute.counted.serverErrors),
  },
  {
    name: 'MsgSlowConsumers',
    severity: 'warning',
    threshold: 1,
    value: ({ minute }) => perSecond(minute, minute.counted.slowConsumers),
  },
  {
    name: 'MsgQueueGrowing',
    severity: 'warning',
    threshold: 268_435_456,
    value: ({ row }) => row.queue_bytes,
  },
  {
    name: 'MsgRecoveriesFail',
    severity: 'warning',
    threshold: 0.2,
    value: ({ minute: { counted } }) => share(counted.unrecovered, counted.unrecovered + counted.recovered),
  },
  {
    name: 'MsgContinuityLost',
    severity: 'warning',
    threshold: 1,
    value: ({ minute }) => perSecond(minute, minute.counted.insufficientStates),
  },
  {
    name: 'MsgEventLoopBusy',
    severity: 'warning',
    threshold: 0.25,
    value: ({ minute }) => minute.lagMs / 1000,
  },
  {
    name: 'MsgFileDescriptorsShort',
    severity: 'critical',
    threshold: 0.85,
    value: ({ row }) => share(row.open_fds, row.max_fds),
  },
  {
    name: 'MsgSinkFailing',
    severity: 'warning',
    threshold: 0.5,
    value: ({ minute: { counted } }) => share(counted.sinkFailures, counted.sinkAttempts),
  },
  {
    name: 'MsgKeyringNotWatched',
    severity: 'warning',
    threshold: 0,
    value: ({ keyring, watchUp }) => (/^(?:file|redis)$/.test(keyring) && !watchUp ? 1 : 0),
  },
  {
    name: 'MsgSigningKeyOld',
    severity: 'info',
    threshold: 90 * 86_400,
    value: ({ activeKeyAgeSeconds }) => activeKeyAgeSeconds,
  },
  {
    name: 'MsgRefreshTokenReuse',
    severity: 'warning',
    threshold: 0.1,
    value: ({ minute }) => perSecond(minute, minute.counted.reusedRefreshTokens),
  },
  {
    name: 'MsgApiErrors',
    severity: 'critical',
    threshold: 0.01,
    value: ({ minute: { counted } }) => share(counted.apiFailures, counted.apiCommands),
  },
  {
    name: 'MsgAuditFailing',
    severity: 'warning',
    threshold: 0,
    value: ({ minute }) => minute.counted.auditFailures,
  },
  {
    name: 'MsgDeadLetterJobTripped',
    severity: 'warning',
    threshold: 0,
    value: ({ minute }) => minute.counted.trippedJobs,
  },
  { name: 'MsgFeedsShort', severity: 'warning', threshold: 160, value: ({ feeds }) => feeds },
  { name: 'MsgTailsShort', severity: 'warning', threshold: 40, value: ({ tails }) => tails },
];

/** Rules that no alert has: how the node was started. */
export const OWN_HINTS: readonly HintRule[] = [
  { name: 'NoAuth', severity: 'critical', threshold: 0, value: ({ noAuth }) => (noAuth ? 1 : 0) },
  {
    name: 'KeysEndWithProcess',
    severity: 'warning',
    threshold: 0,
    value: ({ keyring }) => (keyring === 'ephemeral' ? 1 : 0),
  },
];

/** The heading of the documentation about a hint. */
export function docOf(name: string): string {
  return `monitoring#${name.toLowerCase()}`;
}

/** The hints of a node about itself. */
export function hintsOf(facts: HintFacts): readonly UndatedHint[] {
  return [...ALERT_HINTS, ...OWN_HINTS].flatMap(rule => {
    const { name, severity, threshold } = rule;
    const value = rule.value(facts);
    if (value === undefined || value <= threshold) return [];
    return [{ name, severity, node: facts.row.id, value, threshold, doc: docOf(name) }];
  });
}

/** Since when hints are seen: as long as each look has them. */
export class HintsSeen {
  #since = new Map<string, number>();

  /** @param now Unix milliseconds */
  dated(hints: readonly UndatedHint[], now: number): readonly Hint[] {
    const earlier = this.#since;
    this.#since = new Map(
      hints.map(({ name, node }) => [`${name} ${node}`, earlier.get(`${name} ${node}`) ?? now]),
    );
    return hints.map(hint => ({ ...hint, since: this.#since.get(`${hint.name} ${hint.node}`) ?? now }));
  }
}
