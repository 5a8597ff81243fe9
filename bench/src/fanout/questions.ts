/** What the orchestrating process may ask a server under measurement. */
export type Question =
  | { readonly kind: 'address' }
  | { readonly kind: 'memory' }
  | ({ readonly kind: 'publish' } & Publishing);

export interface Publishing {
  /** Turns of the event loop that publish. */
  readonly ticks: number;
  /** Milliseconds between them. */
  readonly periodMs: number;
  /** Publications per turn. */
  readonly perTick: number;
}

export interface Address {
  readonly port: number;
}

export interface Memory {
  /** Resident set after forced collections, bytes. */
  readonly rss: number;
}

export interface Measurement {
  /** CPU of the server process, user and system, microseconds. */
  readonly cpuUs: number;
  /** Bytes handed to sockets. */
  readonly bytes: number;
}

/** Publishes as asked and answers the CPU that this process spent. */
export async function cpuOfPublishing(plan: Publishing, publishTick: () => void): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < plan.ticks; i++) {
    publishTick();
    await new Promise(resolve => setTimeout(resolve, plan.periodMs));
  }
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The resident set of this process (`--expose-gc`) once nothing more can be collected. */
export async function settledRss(): Promise<number> {
  const { gc } = globalThis as { gc?: () => void };
  let lowest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 10; i++) {
    gc?.();
    await new Promise(resolve => setTimeout(resolve, 100));
    lowest = Math.min(lowest, process.memoryUsage.rss());
  }
  return lowest;
}
