import { MessageChannel, Worker } from 'node:worker_threads';
import type { ErrorRow } from '@msg/engine/threads';
import { defined } from '@msg/foundation/json';
import type { Logger } from '../observability/logger.ts';
import type { AttachedStores } from '../stores/threads/main-stores.ts';
import type { KeyUses } from './calls.ts';
import type { SocketHandle } from './handed-sockets.ts';
import { answerCalls } from './main-answers.ts';
import { PortCalls, type PortHandler } from './port-calls.ts';
import type { SupervisedThread, ThreadEnd, ThreadEndCause } from './supervisor.ts';
import type { ThreadData, ThreadListener } from './thread-data.ts';
import { threadFlags } from './thread-flags.ts';
import { writeThreadLines } from './thread-log.ts';
import { type ReadThread, secondsOf, type ThreadSeries } from './thread-snapshots.ts';
import type { ThreadRow } from './thread-table.ts';

const IS_SOURCE = import.meta.url.endsWith('.ts');
/** In a package all its modules in one file (`scripts/build-thread-program.ts`); in a checkout the module beside this one. */
const ENTRY = new URL(IS_SOURCE ? './entry.ts' : './program/entry.js', import.meta.url);
const FLAGS = defined({
  execArgv: threadFlags(IS_SOURCE, process.execArgv, process.env['NODE_OPTIONS'] ?? ''),
});
/** Variables of the process that a thread is given, those for its spans, too: others may be credentials. */
const VARIABLE_OF_THREADS = /^(?:NODE_(?!OPTIONS)|OTEL_EXPORTER_OTLP_|TZ$|LANG$|LC_)/;

/** What a thread starts with. */
export interface SessionThreadParts {
  readonly number: number;
  readonly attached: AttachedStores;
  readonly row: ThreadRow;
  readonly data: Omit<ThreadData, 'number' | 'link' | 'calls'>;
  readonly answers: ReadonlyMap<string, PortHandler>;
  readonly errors: readonly ErrorRow[];
  /** Megabytes of its heap; absent: V8's own limit. */
  readonly heapMb?: number;
  /** Megabytes of it for young objects; absent: V8's own limit. */
  readonly youngHeapMb?: number;
  readonly logger: Logger;
  readonly onError: (error: unknown) => void;
}

/** One running thread, seen from main. */
export class SessionThread implements SupervisedThread, ReadThread {
  readonly number: number;
  readonly attached: AttachedStores;
  readonly worker: Worker;
  readonly ready: Promise<void>;
  readonly ended: Promise<ThreadEnd>;
  /** Resolves when it has sent its clients elsewhere, or has ended. */
  readonly left: Promise<unknown>;
  readonly #row: ThreadRow;
  readonly #calls: PortCalls;
  #cause: ThreadEndCause | undefined;
  #error: unknown;

  constructor(parts: SessionThreadParts) {
    const { number, attached, row, data, heapMb, youngHeapMb, onError } = parts;
    this.number = number;
    this.attached = attached;
    this.#row = row;
    row.clear();
    const { port1, port2 } = new MessageChannel();
    const workerData: ThreadData = { ...data, number, link: attached.link, calls: port2 };
    this.worker = new Worker(ENTRY, {
      name: `msg-${number}`,
      workerData,
      transferList: [...attached.transferList, port2],
      env: givenVariables(),
      ...FLAGS,
      resourceLimits: defined({ maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngHeapMb }),
    });
    this.#calls = new PortCalls({ port: port1, errors: parts.errors, onError });
    this.#calls.handle('lines', (text: string) => writeThreadLines(parts.logger, text));
    answerCalls(this.#calls, parts.answers);
    const ready = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    this.#calls.handle('ready', () => ready.resolve());
    this.#calls.handle('left', () => left.resolve());
    this.ready = ready.promise;
    this.ended = this.#watch(port1, onError);
    this.left = Promise.race([left.promise, this.ended]);
    attached.broken.catch((error: unknown) => {
      this.#error = error;
      this.terminate('link');
    });
  }

  get beats(): number {
    return this.#row.beats;
  }

  /** Gives the thread connections from which nothing was read. @throws Error when it cannot take them */
  give(handles: readonly SocketHandle[]): void {
    this.#calls.send('sockets', handles, handles);
  }

  listen(listener: ThreadListener): Promise<unknown> {
    return this.#calls.call('listen', listener);
  }

  async series(): Promise<ThreadSeries> {
    return (await this.#calls.call('series')) as ThreadSeries;
  }

  /** Uses of API keys that the thread has seen. */
  async keyUses(): Promise<KeyUses> {
    return (await this.#calls.call('keyUses')) as KeyUses;
  }

  cpuSeconds(): Promise<number> | undefined {
    return this.worker.cpuUsage?.().then(secondsOf);
  }

  heapBytes(): Promise<number> | undefined {
    return this.worker.getHeapStatistics?.().then(statistics => statistics.used_heap_size);
  }

  /** Drains it; resolves when its service has stopped, or it has ended. */
  async stop(): Promise<void> {
    await this.#calls.call('stop').catch(() => {}); // it ended before
  }

  terminate(cause: ThreadEndCause): void {
    this.#cause ??= cause;
    void this.worker.terminate();
  }

  #watch(port: { close(): void }, onError: (error: unknown) => void): Promise<ThreadEnd> {
    this.worker.on('error', error => {
      this.#error ??= error;
      this.#cause ??= isOutOfMemory(error) ? 'memory' : 'error';
    });
    return new Promise(resolve => {
      this.worker.once('exit', code => {
        this.#calls.close();
        port.close();
        this.#row.clear();
        const end = { cause: this.#cause ?? ('error' as const), error: this.#error ?? exited(code) };
        this.attached
          .detach()
          .catch(onError)
          .finally(() => resolve(end));
      });
    });
  }
}

function exited(code: number): Error {
  return new Error(`the thread ended with code ${code}`);
}

function isOutOfMemory(error: unknown): boolean {
  return (error as Partial<NodeJS.ErrnoException> | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function givenVariables(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => VARIABLE_OF_THREADS.test(name)));
}
