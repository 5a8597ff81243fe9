import type { LastChunk, LoadQuestion, OpenResult, Received } from './load/questions.ts';
import type { Subscribing } from './load/subscribe-request.ts';
import { LOAD_CORE, PinnedProcess, SERVER_CORE } from './pinned.ts';
import type { Address, Measurement, Publishing } from './servers/questions.ts';

const LOAD = new URL('./load/client.ts', import.meta.url);

/** The servers that can be measured. */
export const SERVERS = {
  engine: new URL('./servers/engine.ts', import.meta.url),
  plainWrites: new URL('./servers/plain-writes.ts', import.meta.url),
  bareWs: new URL('./servers/bare-ws.ts', import.meta.url),
  bareHeld: new URL('./servers/bare-held.ts', import.meta.url),
  clustered: new URL('./servers/clustered.ts', import.meta.url),
};

interface Opening {
  readonly count: number;
  readonly subscribing: Subscribing | null;
  readonly concurrency?: number;
  readonly stamped?: boolean;
}

/** One side of a comparison: a server, and a load process of its own. */
export class Side {
  readonly server: PinnedProcess;
  readonly #load: PinnedProcess;
  readonly #port: number;

  private constructor(server: PinnedProcess, load: PinnedProcess, port: number) {
    this.server = server;
    this.#load = load;
    this.#port = port;
  }

  static async start(
    module: URL,
    options: { args?: readonly string[]; flags?: readonly string[] } = {},
  ): Promise<Side> {
    const server = await PinnedProcess.start(module, SERVER_CORE, options);
    const load = await PinnedProcess.start(LOAD, LOAD_CORE);
    const { port } = await server.ask<Address>({ kind: 'address' });
    return new Side(server, load, port);
  }

  /** Asks the load process. */
  ask<Answer>(question: LoadQuestion): Promise<Answer> {
    return this.#load.ask<Answer>(question);
  }

  open({ count, subscribing, concurrency = 64, stamped = false }: Opening): Promise<OpenResult> {
    return this.ask<OpenResult>({ kind: 'open', port: this.#port, count, subscribing, concurrency, stamped });
  }

  /** Publishes, and fails unless every connection received its share of exactly what was sent. */
  async publish(plan: Publishing): Promise<Measurement> {
    const measured = await this.server.ask<Measurement>({ kind: 'publish', ...plan });
    const { total, least, most } = await this.ask<Received>({ kind: 'received', atLeast: measured.bytes });
    if (total !== measured.bytes) throw new Error(`sent ${measured.bytes} bytes, ${total} arrived`);
    if (least !== most) throw new Error(`a connection received ${least} bytes, another one ${most}`);
    return measured;
  }

  /** Publishes once per channel and answers the frame, base64, that the first connection received. */
  async frameOf(plan: Publishing): Promise<string> {
    await this.publish({ ...plan, perChannel: 1, cpuMs: 0 });
    const { bytes } = await this.ask<LastChunk>({ kind: 'lastChunk' });
    return bytes;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#load.stop(), this.server.stop()]);
  }
}

/** Runs `use` with both sides of a comparison and stops them whatever happens. */
export async function withSides<Result>(
  start: readonly [Promise<Side>, Promise<Side>],
  use: (engine: Side, baseline: Side) => Promise<Result>,
): Promise<Result> {
  const [engine, baseline] = await Promise.all(start);
  try {
    return await use(engine, baseline);
  } finally {
    await Promise.all([engine.stop(), baseline.stop()]);
  }
}
