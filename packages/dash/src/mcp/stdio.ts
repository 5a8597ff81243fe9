import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { DashError } from '#src/errors.ts';
import { LineFilter, MAX_LINE_BYTES } from './line-filter.ts';
import { createDashServer } from './server.ts';
import type { ToolRoom } from './tool.ts';

/** How long the end of input waits for answers under way; the process is gone within a second. */
const LAST_ANSWERS_MS = 700;

/** The three standard streams of the process, and what ends it from outside. */
export interface StdioDoor {
  readonly input: Readable;
  readonly output: Writable;
  /** Settles when the process is told to end. */
  readonly stop: Promise<unknown>;
  note(text: string): void;
}

/**
 * Serves one host until it closes the input or `stop` settles. Whatever was asked before the end of input is still
 * answered, as long as that is a matter of moments.
 *
 * @throws DashError MCP_INTERNAL when the input fails.
 */
export async function serveOverStdio(room: ToolRoom, door: StdioDoor): Promise<void> {
  const note = (reason: string) => door.note(`dash MCP server: ${reason}\n`);
  const lines = new LineFilter(note, () => transport.answered());
  const transport = new AnsweringTransport(lines, door.output, { maxBufferSize: 2 * MAX_LINE_BYTES });
  const failed = Promise.withResolvers<never>();
  const wireClosed = transport.whenClosed();
  door.input.on('error', () => {
    failed.reject(new DashError('MCP_INTERNAL', 'Standard input failed.', { path: 'stdin' }));
  });
  // Only the kind of a fault is told: its text may quote what was sent.
  const handle = serveStdio(() => createDashServer(room), { transport, onerror: ({ name }) => note(name) });
  door.input.pipe(lines);
  try {
    await Promise.race([failed.promise, wireClosed, door.stop]);
  } finally {
    await handle.close();
    door.input.unpipe(lines);
    door.input.destroy();
  }
}

/** The stock transport, which also knows what it has not answered yet. */
class AnsweringTransport extends StdioServerTransport {
  private readonly open = new Set<RequestId>();
  private readonly closed = Promise.withResolvers<void>();
  private idle = Promise.withResolvers<void>();

  whenClosed(): Promise<void> {
    return this.closed.promise;
  }

  /** Resolves once nothing is open, or when waiting longer would keep the host waiting. */
  async answered(): Promise<void> {
    this.idle = Promise.withResolvers();
    // Lines that have just arrived are handed on in the next turn.
    await new Promise(resolve => setImmediate(resolve));
    if (this.open.size === 0) return;
    const timer = setTimeout(() => this.idle.resolve(), LAST_ANSWERS_MS);
    await this.idle.promise;
    clearTimeout(timer);
  }

  override async start(): Promise<void> {
    const { onmessage: deliver, onclose: ended } = this;
    this.onmessage = message => {
      this.noteRequest(message);
      deliver?.(message);
    };
    this.onclose = () => {
      ended?.();
      this.closed.resolve();
    };
    await super.start();
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if (!('method' in message) && message.id !== undefined) this.settle(message.id);
  }

  private noteRequest(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    // A subscription stays open until the connection ends, so nobody waits for it.
    if ('id' in message && message.method !== 'subscriptions/listen') this.open.add(message.id);
    if (message.method !== 'notifications/cancelled') return;
    this.settle(message.params?.['requestId'] as RequestId);
  }

  private settle(id: RequestId): void {
    this.open.delete(id);
    if (this.open.size === 0) this.idle.resolve();
  }
}
