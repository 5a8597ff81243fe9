import { type MaybePromise, recover } from '@msg/foundation/promises';
import { exportGauge, exportNumber } from './export-gauge.ts';
import type { Registry } from './prometheus.ts';

const KEYRING_BACKENDS = ['file', 'redis', 'ephemeral', 'external'];

/** The values of the service's gauges. */
export interface ServiceSources {
  /** Live channels by state and visibility. */
  channels(): Promise<
    Iterable<{ readonly state: string; readonly visibility: string; readonly count: number }>
  >;
  /** Live subscriptions on this node by visibility of their channel. */
  subscribers(): Iterable<{ readonly visibility: string; readonly count: number }>;
  /** Jobs of dead letters that this node works on. */
  redriveJobs(): number;
  /** Dead letters by sink. */
  deadLetters(): Promise<Iterable<readonly [sink: string, count: number]>>;
  /** What operators look at on this node while it happens. */
  live(): { readonly feeds: number; readonly tails: number; readonly recordings: number };
  keyring(): {
    readonly backend: string;
    /** Number of key sets that this process has used. */
    readonly version: number;
    readonly activeKeyAgeSeconds: number;
    readonly watchUp: boolean;
  };
}

/** Exports channels, subscriptions, dead letters and the keyring, which are read at each scrape. */
export function exportServiceGauges(registry: Registry, sources: ServiceSources): void {
  exportGauge(registry, {
    name: 'msg_subscribers_active',
    help: 'Live subscriptions on this node',
    labels: ['channel_visibility'],
    cells: () =>
      Array.from(sources.subscribers(), ({ visibility, count }) => [
        { channel_visibility: visibility },
        count,
      ]),
  });
  exportGauge(registry, {
    name: 'msg_channels_active',
    help: 'Channels',
    labels: ['state', 'visibility'],
    cells: async () =>
      Array.from(await sources.channels(), ({ state, visibility, count }) => [{ state, visibility }, count]),
  });
  exportGauge(registry, {
    name: 'msg_dlq_size',
    help: 'Dead letters',
    labels: ['sink'],
    cells: async () => Array.from(await sources.deadLetters(), ([sink, count]) => [{ sink }, count]),
  });
  exportGauge(registry, {
    name: 'msg_keyring_backend',
    help: 'Where the keyring lives',
    labels: ['backend'],
    cells: () =>
      KEYRING_BACKENDS.map(name => [{ backend: name }, name === sources.keyring().backend ? 1 : 0]),
  });
  const { keyring, live, redriveJobs } = sources;
  exportNumber(registry, 'msg_dlq_jobs_running', 'Jobs of dead letters in work on this node', redriveJobs);
  exportNumber(registry, 'msg_console_feeds', 'Live feeds on this node', () => live().feeds);
  exportNumber(registry, 'msg_console_tails', 'Tails on this node', () => live().tails);
  exportNumber(registry, 'msg_console_recordings', 'Connections that are recorded', () => live().recordings);
  exportNumber(registry, 'msg_keyring_version', 'Rings seen by this process', () => keyring().version);
  exportNumber(
    registry,
    'msg_keyring_active_key_age_seconds',
    'Age of the signing key',
    () => keyring().activeKeyAgeSeconds,
  );
  exportNumber(registry, 'msg_keyring_watch_up', 'The keyring store is being watched', () =>
    keyring().watchUp ? 1 : 0,
  );
}

/** Exports how many sessions the console has; nothing while their store cannot be read. */
export function exportSessions(registry: Registry, count: () => MaybePromise<number>): void {
  exportGauge(registry, {
    name: 'msg_console_sessions',
    help: 'Sessions of the console',
    labels: [],
    cells: async () => {
      const sessions = await recover<number | undefined>(count, () => undefined);
      return sessions === undefined ? [] : [[{}, sessions]];
    },
  });
}
