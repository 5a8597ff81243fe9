import type { Visibility } from '@msg/core';
import { isRpcPath, rpcMethodOf } from '@msg/core/internal';
import type { MaybePromise } from '@msg/foundation/promises';
import type { AuthorizationOutcome } from '../auth/access/custom-authorizer.ts';
import type { TokenType } from '../auth/tokens/claims.ts';
import type { RotationOutcome } from '../auth/tokens/refresh/rotation.ts';
import type { Bucket, RateOutcome } from '../rate-limits/rate-limits.ts';
import { type ApiKeySources, exportApiKeyMetrics } from './api-key-metrics.ts';
import { type ApiSources, exportApiMetrics } from './api-metrics.ts';
import { type AppendSources, exportAppendMetrics } from './append-metrics.ts';
import type { CountedOutcomes, CountedTotals } from './counted-totals.ts';
import { BUCKETS, DurationHistogram, LabelledCounter } from './counters.ts';
import { exportCounters } from './export-counters.ts';
import { exportGauge } from './export-gauge.ts';
import { ExportedHistogram } from './exported-histogram.ts';
import { exportNodeMetrics, type NodeSources } from './node-metrics.ts';
import { exportOutboxMetrics, type OutboxSources } from './outbox-metrics.ts';
import { collectDefaultMetrics, Registry } from './prometheus.ts';
import { exportServiceGauges, exportSessions, type ServiceSources } from './service-gauges.ts';
import { exportStoreMetrics, type StoreSources } from './store-metrics.ts';

type VisibilityLabel = Visibility | 'unknown';

/** What is read at each scrape. */
export interface MetricsSources extends ServiceSources {
  readonly node: NodeSources;
  readonly store: StoreSources;
  readonly apiKeys: ApiKeySources;
  readonly api: ApiSources;
  readonly appends: AppendSources;
  readonly outbox: OutboxSources;
}

/** The visibility label of a channel name, valid or not. */
export function visibilityLabel(name: string): VisibilityLabel {
  if (name.startsWith('public:')) return 'public';
  return name.startsWith('private:') ? 'private' : 'unknown';
}

/** The method label of a request path. */
function methodLabel(path: string): string {
  return rpcMethodOf(path) ?? (isRpcPath(path) ? 'unknown' : 'non_rpc');
}

/** Ends of a job of dead letters. */
const JOB_OUTCOMES = ['done', 'stopped', 'tripped'];
const isFailure = (_label: string, result: string): boolean => result === 'failure';

/** What metrics say about the process that exports them. `region` is a constant label of every series; empty: none. */
export interface MetricsOptions {
  readonly version: string;
  readonly region: string;
  /** Metrics of the process: they wake it a hundred times a second, to see how late its event loop runs. */
  readonly process: boolean;
}

/**
 * The metrics of messaging details, section 19, and those of the realtime node. Hot code counts plain integers, which the
 * exporting library reads at each scrape. Labels never hold names, subjects, key ids or token data.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #publishes = new LabelledCounter();
  readonly #verifications = new LabelledCounter();
  readonly #rotations = new LabelledCounter();
  readonly #requests = new LabelledCounter();
  readonly #decisions = new LabelledCounter();
  readonly #refreshes = new LabelledCounter();
  readonly #authorizations = new LabelledCounter();
  readonly #sinkAttempts = new LabelledCounter();
  readonly #goneRecipients = new LabelledCounter();
  readonly #reconcileErrors = new LabelledCounter();
  readonly #auditFailures = new LabelledCounter();
  readonly #jobs = new LabelledCounter();
  readonly #consoleDenials = new LabelledCounter();
  readonly #publishSeconds = new DurationHistogram(BUCKETS);
  readonly #sinkSeconds = new DurationHistogram(BUCKETS);
  readonly #rpcSeconds = new DurationHistogram(BUCKETS);

  constructor(sources: MetricsSources, { version, region, process }: MetricsOptions) {
    if (region !== '') this.#registry.setDefaultLabels({ region });
    if (process) collectDefaultMetrics(this.#registry);
    exportGauge(this.#registry, {
      name: 'msg_build_info',
      help: 'Always 1; the build that runs',
      labels: ['version'],
      cells: () => [[{ version }, 1]],
    });
    exportNodeMetrics(this.#registry, sources.node);
    exportStoreMetrics(this.#registry, sources.store);
    exportApiKeyMetrics(this.#registry, sources.apiKeys);
    exportApiMetrics(this.#registry, sources.api);
    // From the start, so that the first job that trips is seen as an increase.
    for (const outcome of JOB_OUTCOMES) this.#jobs.add(outcome, '', 0);
    exportAppendMetrics(this.#registry, sources.appends, () => sources.node.figures());
    exportOutboxMetrics(this.#registry, sources.outbox);
    this.#counters();
    exportServiceGauges(this.#registry, sources);
  }

  #counters(): void {
    this.#count('msg_publishes_total', 'Publishes', ['channel_visibility', 'result'], this.#publishes);
    this.#count(
      'msg_token_verifications_total',
      'Token verifications',
      ['type', 'result'],
      this.#verifications,
    );
    this.#count('msg_key_rotations_total', 'Changes of the keyring', ['action'], this.#rotations);
    this.#count('msg_rpc_requests_total', 'HTTP requests', ['method', 'status'], this.#requests);
    this.#count(
      'msg_rate_limit_decisions_total',
      'Rate limit decisions',
      ['bucket', 'result'],
      this.#decisions,
    );
    this.#count(
      'msg_authorizer_answers_total',
      'Answers of the custom authorizer',
      ['answer'],
      this.#authorizations,
    );
    this.#count('msg_refresh_rotations_total', 'Refreshes', ['result'], this.#refreshes);
    this.#count('msg_sink_attempts_total', 'Sends to sinks', ['sink', 'result'], this.#sinkAttempts);
    this.#count('msg_sink_recipients_gone_total', 'Gone recipients', ['sink'], this.#goneRecipients);
    this.#count('msg_keyring_reconcile_errors_total', 'Failed keyring reloads', [], this.#reconcileErrors);
    this.#count('msg_dlq_jobs_total', 'Jobs of dead letters that ended', ['outcome'], this.#jobs);
    this.#count('msg_audit_failures_total', 'Audit records that were not stored', [], this.#auditFailures);
    this.#count(
      'msg_console_refusals_total',
      'Refused requests to the console',
      ['reason'],
      this.#consoleDenials,
    );
    this.#time('msg_publish_duration_seconds', 'Publish latency', 'channel_visibility', this.#publishSeconds);
    this.#time('msg_rpc_duration_seconds', 'RPC latency', 'method', this.#rpcSeconds);
    this.#time('msg_sink_duration_seconds', 'Duration of sends', 'sink', this.#sinkSeconds);
  }

  #count(name: string, help: string, labels: readonly string[], counter: LabelledCounter): void {
    exportCounters({ name, help, labels, counter, registry: this.#registry });
  }

  #time(name: string, help: string, label: string, durations: DurationHistogram): void {
    new ExportedHistogram({ name, help, label, durations, registry: this.#registry });
  }

  /** Counts a publish of an RPC caller, a client or the service. */
  published(name: string, ok: boolean, seconds: number): void {
    const visibility = visibilityLabel(name);
    this.#publishes.add(visibility, ok ? 'success' : 'failure');
    this.#publishSeconds.add(visibility, seconds);
  }

  verified(type: TokenType | 'unknown', ok: boolean): void {
    this.#verifications.add(type, ok ? 'success' : 'failure');
  }

  keyChanged(action: 'generated' | 'promoted' | 'retired'): void {
    this.#rotations.add(action);
  }

  requested(path: string, status: number, seconds: number): void {
    const method = methodLabel(path);
    this.#requests.add(method, String(status));
    if (method !== 'non_rpc') this.#rpcSeconds.add(method, seconds);
  }

  limited(bucket: Bucket, { accepted, refused }: RateOutcome): void {
    if (accepted > 0) this.#decisions.add(bucket, 'allowed', accepted);
    if (refused > 0) this.#decisions.add(bucket, 'denied', refused);
  }

  /** Counts an outcome of the custom authorizer. */
  authorized(answer: AuthorizationOutcome): void {
    this.#authorizations.add(answer);
  }

  refreshed(result: RotationOutcome): void {
    this.#refreshes.add(result);
  }

  /** Counts one send to a sink. */
  sinkAttempted(sink: string, ok: boolean, seconds: number): void {
    this.#sinkAttempts.add(sink, ok ? 'success' : 'failure');
    this.#sinkSeconds.add(sink, seconds);
  }

  recipientGone(sink: string): void {
    this.#goneRecipients.add(sink);
  }

  reconcileFailed(): void {
    this.#reconcileErrors.add('');
  }

  /** Counts the end of a job of dead letters. */
  jobEnded(outcome: string): void {
    this.#jobs.add(outcome);
  }

  auditFailed(): void {
    this.#auditFailures.add('');
  }

  /** Sums of what was counted so far. */
  totals(): CountedTotals {
    return {
      publishes: this.#publishes.sum(),
      publishFailures: this.#publishes.sum(isFailure),
      serverErrors: this.#requests.sum((_method, status) => status.startsWith('5')),
      sinkAttempts: this.#sinkAttempts.sum(),
      sinkFailures: this.#sinkAttempts.sum(isFailure),
      reusedRefreshTokens: this.#refreshes.sum(result => /^(?:reused|family_revoked)$/.test(result)),
      auditFailures: this.#auditFailures.sum(),
      trippedJobs: this.#jobs.sum(outcome => outcome === 'tripped'),
    };
  }

  /** What was counted so far, by name. */
  named(): CountedOutcomes {
    return {
      limits: this.#decisions.outcomes('allowed'),
      sinks: this.#sinkAttempts.outcomes('success'),
    };
  }

  /** Exports how many sessions the console has; nothing while their store cannot be read. */
  countSessions(count: () => MaybePromise<number>): void {
    exportSessions(this.#registry, count);
  }

  consoleRefused(reason: string): void {
    this.#consoleDenials.add(reason);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics in Prometheus text format. */
  render(): Promise<string> {
    return this.#registry.metrics();
  }
}
