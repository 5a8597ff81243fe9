import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { DashError } from '../errors.ts';
import type { LineDenial } from './json-rpc.ts';
import { LineFilter, MAX_LINE_BYTES } from './line-filter.ts';
import { createDashServer } from './server.ts';
import type { ToolContext } from './tool.ts';

/** How long the end of input waits for pending answers; the process ends within a second. */
const LAST_ANSWERS_MS = 700;

/** The three standard streams of the process, and its stop signal. */
export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** Settles at the signal that ends the process. */
  readonly stop: Promise<unknown>;
  note(text: string): void;
  /** The system's by default. */
  readonly clock?: Clock;
}

/**
 * Serves one host until it closes the input or `stop` settles. Pending requests are answered within a second after the
 * end of input.
 * @throws DashError MCP_INTERNAL when the input fails.
 */
export async function serveOverStdio(context: ToolContext, streams: StdioStreams): Promise<void> {
  const note = (reason: string) => streams.note(`dash MCP server: ${reason}\n`);
  const refuse = (denial: LineDenial) => written(streams.output, `${JSON.stringify(denial)}\n`);
  const lines = new LineFilter({ note, refuse, settled: () => transport.answered() });
  const transport = new AnsweringTransport(lines, streams.output, streams.clock ?? systemClock);
  const failed = Promise.withResolvers<never>();
  const wireClosed = transport.whenClosed();
  streams.input.on('error', () => {
    failed.reject(
      new DashError('MCP_INTERNAL', 'Standard input is broken; start the server again.', { path: 'stdin' }),
    );
  });
  // Only the name of an error is logged, because its message may quote the input.
  const handle = serveStdio(() => createDashServer(context), {
    transport,
    onerror: ({ name }) => note(name),
  });
  streams.input.pipe(lines);
  try {
    await Promise.race([failed.promise, wireClosed, streams.stop]);
  } finally {
    await handle.close();
    streams.input.unpipe(lines);
    streams.input.destroy();
  }
}

/** Writes a line; returns a promise when the host must read first. */
function written(output: Writable, line: string): Promise<void> | undefined {
  if (output.write(line)) return undefined;
  return new Promise(resolve => {
    const done = () => {
      output.off('drain', done);
      output.off('close', done);
      resolve();
    };
    output.on('drain', done);
    output.on('close', done);
  });
}

/** The stock transport, which also tracks unanswered requests. */
class AnsweringTransport extends StdioServerTransport {
  readonly #open = new Set<RequestId>();
  readonly #closed = Promise.withResolvers<void>();
  readonly #clock: Clock;
  #idle = Promise.withResolvers<void>();

  constructor(input: Readable, output: Writable, clock: Clock) {
    super(input, output, { maxBufferSize: 2 * MAX_LINE_BYTES });
    this.#clock = clock;
  }

  whenClosed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Resolves when all requests are answered, or at the time limit. */
  async answered(): Promise<void> {
    this.#idle = Promise.withResolvers();
    // Lines that just arrived are forwarded in the next turn.
    await new Promise<void>(resolve => this.#clock.afterTurn(resolve));
    if (this.#open.size === 0) return;
    const timer = this.#clock.setTimeout(() => this.#idle.resolve(), LAST_ANSWERS_MS, true);
    await this.#idle.promise;
    this.#clock.clearTimeout(timer);
  }

  override async start(): Promise<void> {
    const { onmessage: deliver, onclose: ended } = this;
    this.onmessage = message => {
      this.#noteRequest(message);
      deliver?.(message);
    };
    this.onclose = () => {
      ended?.();
      this.#closed.resolve();
    };
    await super.start();
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
  }

  #noteRequest(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    // A subscription stays open until the connection ends, so no wait includes it.
    if ('id' in message && message.method !== 'subscriptions/listen') this.#open.add(message.id);
    if (message.method !== 'notifications/cancelled') return;
    this.#settle(message.params?.['requestId'] as RequestId);
  }

  #settle(id: RequestId): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#idle.resolve();
  }
}
