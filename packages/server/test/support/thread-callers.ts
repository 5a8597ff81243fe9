import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type MsgServer } from '@msg/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { logRecords } from './log-records.ts';
import { startServer } from './server.ts';

/** A connection that was quiet for this long is used before a round begins: the service ends those of five seconds. */
const QUIET_MS = 1000;

/** An answer, as a caller needs it. */
export interface ThreadAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Calls that are all served by one thread, over one connection. */
export class ThreadCaller {
  readonly thread: number;
  readonly #server: MsgServer;
  #connection: CallerConnection;

  private constructor(server: MsgServer, connection: CallerConnection, thread: number) {
    this.#server = server;
    this.#connection = connection;
    this.thread = thread;
  }

  /**
   * A caller of each of the threads of a server. A connection gets to the thread with the fewest, unless that is late on a
   * busy machine: more are opened until each thread has one. The log, which has to have the records of failures, says which
   * thread a connection got to.
   */
  static async each(server: MsgServer, threads: number): Promise<ThreadCaller[]> {
    const callers = new Map<number, ThreadCaller>();
    const others: CallerConnection[] = [];
    await eventually('each thread has a connection', async () => {
      const connection = new CallerConnection(server.url);
      const thread = await threadOf(server, connection);
      if (callers.has(thread)) others.push(connection);
      else callers.set(thread, new ThreadCaller(server, connection, thread));
      return callers.size === threads;
    });
    for (const connection of others) connection.close();
    return [...callers.values()];
  }

  /** Keeps the connection, or opens another one to the same thread. */
  async refresh(): Promise<void> {
    const { isOver, usedAt } = this.#connection;
    const isFresh = performance.now() - usedAt < QUIET_MS;
    if (!isOver && (isFresh || (await this.call('WhoAmI', {}).catch(() => undefined)) !== undefined)) return;
    await eventually('a connection to the same thread', async () => {
      this.#connection.close();
      this.#connection = new CallerConnection(this.#server.url);
      return (await threadOf(this.#server, this.#connection)) === this.thread;
    });
  }

  /** Calls a method of the RPC, without a body for null; the bearer is that of the server unless another one is named. */
  call(method: string, body: object | null, bearer = this.#server.token): Promise<ThreadAnswer> {
    return this.#connection.call(method, body, { authorization: `Bearer ${bearer}` });
  }

  close(): void {
    this.#connection.close();
  }
}

/** A server with threads, and a caller of each: there once the suite runs. */
export interface CallersOfSuite {
  server: MsgServer;
  callers: readonly ThreadCaller[];
}

/** A server with a configuration file of that text and keys in memory, for all tests of a suite. */
export function callersOfSuite(yaml: string, threads: number): CallersOfSuite {
  const suite = {} as CallersOfSuite;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'msg-suite-'));
    const config = join(folder, 'msg.yaml');
    await writeFile(config, yaml);
    suite.server = await startServer({ args: ['--config', config, '--threads', String(threads)] });
    suite.callers = await ThreadCaller.each(suite.server, threads);
    const numbers = Array.from({ length: threads }, (_, index) => index + 1);
    expect(suite.callers.map(({ thread }) => thread).sort()).toEqual(numbers);
  });
  afterAll(async () => {
    for (const caller of suite.callers) caller.close();
    await suite.server.stop();
    await rm(folder, { recursive: true });
  });
  return suite;
}

/** The thread that a connection got to. */
async function threadOf(server: MsgServer, connection: CallerConnection): Promise<number> {
  const id = crypto.randomUUID();
  const headers = { 'x-request-id': id, authorization: `Bearer ${server.token}` };
  await connection.call('GetChannel', { name: 'public:no.such' }, headers);
  const record = (): Readonly<Record<string, unknown>> | undefined =>
    logRecords(server.output().stderr).find(({ request_id }) => request_id === id);
  await eventually('the log names the thread', () => record() !== undefined);
  return Number(record()?.['thread']);
}

/** One connection, over which one call goes after the other. */
class CallerConnection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;
  #socket: Socket | undefined;
  usedAt = 0;
  /** The service ends it after an answer that did not wait for the body of its request. */
  isOver = false;

  constructor(url: string) {
    this.#url = url;
  }

  /** Rejects when the connection was closed after an earlier call. */
  call(
    method: string,
    body: object | null,
    headers: Readonly<Record<string, string>>,
  ): Promise<ThreadAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>();
    const url = `${this.#url}/twirp/msg.MsgService/${method}`;
    const sent = request(
      url,
      { method: 'POST', agent: this.#agent, headers: { ...headers, 'content-type': 'application/json' } },
      response => {
        this.#socket ??= response.socket;
        if (this.#socket !== response.socket)
          reject(new Error('the connection was closed between two calls'));
        this.isOver = response.headers.connection === 'close';
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('error', reject);
        response.on('end', () => {
          this.usedAt = performance.now();
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body === null ? '' : JSON.stringify(body));
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}
