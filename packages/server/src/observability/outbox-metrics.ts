import { exportSum } from './export-counters.ts';
import { exportNumber } from './export-gauge.ts';
import { Counter, type Registry } from './prometheus.ts';

/** What the worker of an outbox has done and found. */
export interface OutboxFigures {
  /** The worker reaches its database. */
  readonly isUp: boolean;
  /** Rows that wait, as counted last. */
  readonly rows: number | undefined;
  /** Age of the oldest row that waits, seconds. */
  readonly oldestSeconds: number | undefined;
  readonly deadRows: number | undefined;
  readonly published: number;
  /** Rows that became dead rows since the start, by code. */
  readonly dead: ReadonlyMap<string, number>;
  readonly takeovers: number;
}

/** Where metrics read the outbox of a service, which is opened after them. */
export class OutboxSource {
  #read: (() => OutboxFigures) | undefined;

  observe(read: () => OutboxFigures): void {
    this.#read = read;
  }

  /** Undefined without an outbox. */
  figures(): OutboxFigures | undefined {
    return this.#read?.();
  }
}

export interface OutboxSources {
  readonly outbox: OutboxSource;
  /** Publications with another version into channels of an outbox. */
  readonly outboxVersions: { readonly foreign: number };
}

/** Exports the metrics of the PostgreSQL outbox (app-developers 12.4); all are 0 without one. */
export function exportOutboxMetrics(registry: Registry, { outbox, outboxVersions }: OutboxSources): void {
  exportWorkerMetrics(registry, () => outbox.figures());
  const foreign = 'Publications with a version of their own into channels of an outbox';
  exportSum(registry, 'msg_outbox_foreign_versions_total', foreign, () => outboxVersions.foreign);
}

/** Exports what a worker does, in a service or in a process of its own. */
export function exportWorkerMetrics(registry: Registry, figures: () => OutboxFigures | undefined): void {
  const rows = 'Rows of the outbox that wait, in the database, counted every 15 s';
  exportNumber(registry, 'msg_outbox_rows', rows, () => figures()?.rows ?? 0);
  const oldest = 'Age of the oldest row that waits';
  exportNumber(registry, 'msg_outbox_oldest_seconds', oldest, () => figures()?.oldestSeconds ?? 0);
  const deadRows = 'Rows of the outbox that were given up, and are kept';
  exportNumber(registry, 'msg_outbox_dead_rows', deadRows, () => figures()?.deadRows ?? 0);
  const published = 'Rows that the worker of this process brought into their channels';
  exportSum(registry, 'msg_outbox_published_total', published, () => figures()?.published ?? 0);
  const takeovers = 'Partitions taken over from a worker whose lease had run out';
  exportSum(registry, 'msg_outbox_lease_takeovers_total', takeovers, () => figures()?.takeovers ?? 0);
  new Counter({
    name: 'msg_outbox_dead_total',
    help: 'Rows that the worker of this process gave up',
    labelNames: ['code'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [code, count] of figures()?.dead ?? []) this.inc({ code }, count);
    },
  });
}
