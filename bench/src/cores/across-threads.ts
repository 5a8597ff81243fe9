import type { AcrossQuestion, Arrivals } from '../load/across-questions.ts';
import { PinnedProcess } from '../pinned.ts';
import { CHANNEL } from '../servers/msg-rpc.ts';
import type { CoresService } from './service.ts';
import type { CoresSetting } from './setting.ts';

const LOAD = new URL('../load/across.ts', import.meta.url);
/** Until idle connections of the start are closed: they count where connections are placed. */
const IDLE_MS = 6500;

/** Publications without subscribers: the thread that uses most CPU for them is the publisher's. */
const WARM_UP = { perSecond: 2000, atOnce: 1, ms: 1000 };
const SESSION = /^msg-\d+$/;

/** A publisher and subscribers whose threads are known. */
export class AcrossThreads {
  readonly #load: PinnedProcess;
  /** Of each subscriber, whether it is on the thread of the publisher. */
  readonly besidePublisher: readonly boolean[];
  /** Numbers of the threads of the subscribers. */
  readonly threadOf: readonly number[];

  private constructor(load: PinnedProcess, threadOf: readonly number[], besidePublisher: readonly boolean[]) {
    this.#load = load;
    this.threadOf = threadOf;
    this.besidePublisher = besidePublisher;
  }

  /**
   * Opens the publisher, whose thread its CPU tells, and subscribers until each thread has one: they go to the thread with the fewest
   * connections.
   */
  static async open(service: CoresService, { loadCpus }: CoresSetting): Promise<AcrossThreads> {
    await new Promise(resolve => setTimeout(resolve, IDLE_MS));
    const load = await PinnedProcess.start(LOAD, loadCpus);
    const ask = (question: AcrossQuestion): Promise<unknown> => load.ask(question);
    await ask({ kind: 'publisher', port: service.port, token: service.token, channel: CHANNEL });
    const before = service.server.cpuUsByThread();
    await ask({ kind: 'publish', ...WARM_UP });
    const used = [...service.server.cpuUsByThread()]
      .filter(([name]) => SESSION.test(name))
      .map(([name, us]) => ({ thread: Number(name.slice('msg-'.length)), us: us - (before.get(name) ?? 0) }))
      .sort((a, b) => b.us - a.us);
    const publisher = used[0]?.thread ?? 1;
    const threadOf: number[] = [];
    let counts = await service.countsByThread('subscriptions');
    while (new Set(threadOf).size < service.threads) {
      await ask({ kind: 'subscribe' });
      const now = await service.countsByThread('subscriptions');
      const grown = now.findIndex((count, index) => count > (counts[index] ?? 0));
      threadOf.push(service.threads === 1 ? 1 : grown + 1);
      counts = now;
    }
    return new AcrossThreads(
      load,
      threadOf,
      threadOf.map(thread => thread === publisher),
    );
  }

  publish(question: Omit<Extract<AcrossQuestion, { kind: 'publish' }>, 'kind'>): Promise<Arrivals> {
    return this.#load.ask<Arrivals>({ kind: 'publish', ...question } satisfies AcrossQuestion);
  }

  stop(): Promise<void> {
    return this.#load.stop();
  }
}
