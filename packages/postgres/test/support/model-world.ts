import { ManualClock } from '@msg/foundation/clock/testing';
import { type ModelFlaws, ModelStore } from '@msg/testkit/outbox';
import type { OutboxItem, OutboxOutcome } from '../../src/contract.ts';
import { Claimer } from '../../src/worker/claimer.ts';
import { WorkerFigures } from '../../src/worker/figures.ts';
import { Pace } from '../../src/worker/pace.ts';
import { Service } from './service.ts';

/** What is done wrong on purpose. */
export interface Flaws extends ModelFlaws {
  /** A failed item does not stop its channel. */
  readonly goesOn?: boolean;
}

/** A request on its way to the service, its answer on the way back, or neither. */
interface Request {
  readonly items: readonly OutboxItem[];
  readonly sentAt: number;
  outcomes: readonly OutboxOutcome[] | undefined;
  readonly answer: PromiseWithResolvers<readonly OutboxOutcome[]>;
}

interface ModelWorker {
  readonly claimer: Claimer;
  readonly clock: ManualClock;
  request: Request | undefined;
  step: Promise<unknown> | undefined;
  isStopped: boolean;
  isDead: boolean;
  /** Time that passed while it was stopped. */
  missedMs: number;
}

interface WrittenRow {
  readonly id: number;
  readonly channel: string;
  /** When it was committed, counted; undefined: not, or rolled back. */
  committed: number | undefined;
}

export const CHANNELS = ['public:shop.a', 'public:shop.b', 'public:shop.c'];
const WORKERS = 2;
const BATCH = 3;
/** Shorter than rows wait for a channel: the connection of an older request has gone. */
const REQUEST_LIFE_MS = 6_000;
const WAIT_FOR_CHANNEL_MS = 8_000;
const RANDOM = { fraction: () => 0.5, bytes: (length: number) => new Uint8Array(length) };

/** Writers, workers, the outbox and the service, whose every step a schedule decides. */
export class ModelWorld {
  readonly store: ModelStore;
  readonly service = new Service();
  readonly written: WrittenRow[] = [];
  readonly #workers: ModelWorker[] = [];
  readonly #open: WrittenRow[][] = [];
  /** Requests of workers that have died or given up, which the service may still get. */
  readonly #late: Request[] = [];
  readonly #closed = new Set<string>();
  readonly #limited = new Set<string>();
  /** Of the world, whatever the clock of the database says. */
  #elapsedMs = 0;
  #nextId = 1;
  #nextCommit = 1;
  #nextOwner = 1;

  constructor({ goesOn = false, ...flaws }: Flaws) {
    this.store = new ModelStore(flaws);
    this.service.goesOn = goesOn;
    this.service.rule = item => this.#rule(item);
    for (let index = 0; index < WORKERS; index++) this.#workers.push(this.#worker());
  }

  /** A transaction that writes rows; others may commit before it. */
  write(channels: readonly number[]): void {
    const rows = channels.map(index => {
      const channel = CHANNELS[index % CHANNELS.length] ?? '';
      return { id: this.#nextId++, channel, committed: undefined };
    });
    this.written.push(...rows);
    this.#open.push(rows);
  }

  end(index: number, commits: boolean): void {
    const [rows = []] = this.#open.splice(index % Math.max(1, this.#open.length), 1);
    if (!commits) return;
    const committed = this.#nextCommit++;
    for (const row of rows) {
      row.committed = committed;
      this.store.commit({ id: row.id, channel: row.channel });
    }
  }

  /** A worker claims, if it is not at work. */
  async work(index: number): Promise<void> {
    const worker = this.#at(index);
    if (worker.isStopped || worker.step !== undefined) return;
    worker.step = worker.claimer.step().then(
      () => this.#idle(worker),
      () => this.#idle(worker),
    );
    await worker.clock.advance(0);
  }

  /** The service carries a request out. */
  async deliver(index: number): Promise<void> {
    const { request } = this.#at(index);
    if (request !== undefined) await this.#execute(request);
  }

  async deliverLate(index: number): Promise<void> {
    const [request] = this.#late.splice(index % Math.max(1, this.#late.length), 1);
    if (request !== undefined) await this.#execute(request);
  }

  /** A worker gets the answer, or loses its connection. */
  async answer(index: number, isLost: boolean): Promise<void> {
    const worker = this.#at(index);
    const { request } = worker;
    if (request === undefined || worker.isStopped) return;
    if (request.outcomes !== undefined && !isLost) request.answer.resolve(request.outcomes);
    else if (isLost) this.#giveUp(request);
    else return;
    worker.request = undefined;
    await worker.clock.advance(0);
  }

  crash(index: number): void {
    const worker = this.#at(index);
    worker.isDead = true;
    if (worker.request !== undefined) this.#late.push(worker.request);
    this.#workers[index % WORKERS] = this.#worker();
  }

  stop(index: number): void {
    this.#at(index).isStopped = true;
  }

  async resume(index: number): Promise<void> {
    const worker = this.#at(index);
    if (!worker.isStopped) return;
    worker.isStopped = false;
    await worker.clock.advance(worker.missedMs);
    worker.missedMs = 0;
  }

  async pass(ms: number): Promise<void> {
    this.store.now += ms;
    this.#elapsedMs += ms;
    for (const worker of this.#workers) {
      if (worker.isStopped) worker.missedMs += ms;
      else await worker.clock.advance(ms);
    }
  }

  setClockBack(): void {
    this.store.now -= 3_600_000;
  }

  toggleOpen(index: number): void {
    toggle(this.#closed, CHANNELS[index % CHANNELS.length] ?? '');
  }

  toggleLimited(id: number): void {
    toggle(this.#limited, String(1 + (id % this.#nextId)));
  }

  /** Everything works again: all transactions end, and the workers go on until nothing waits. */
  async recover(): Promise<void> {
    while (this.#open.length > 0) this.end(0, true);
    this.#closed.clear();
    this.#limited.clear();
    for (let index = 0; index < WORKERS; index++) await this.resume(index);
    for (let round = 0; this.store.rows.length > 0; round++) {
      if (round > 500) throw new Error(`rows wait for ever: ${JSON.stringify(this.store.rows)}`);
      for (let index = 0; index < WORKERS; index++) {
        await this.work(index);
        await this.deliver(index);
        await this.answer(index, false);
      }
      await this.pass(1_000);
    }
  }

  #at(index: number): ModelWorker {
    const worker = this.#workers[index % WORKERS];
    if (worker === undefined) throw new Error('no such worker');
    return worker;
  }

  #idle(worker: ModelWorker): void {
    worker.step = undefined;
    worker.request = undefined;
  }

  async #execute(request: Request): Promise<void> {
    if (this.#elapsedMs - request.sentAt >= REQUEST_LIFE_MS) return;
    request.outcomes ??= await this.service.publishMany(request.items);
  }

  /** The request may still be on its way. */
  #giveUp(request: Request): void {
    if (request.outcomes === undefined) this.#late.push(request);
    request.answer.reject(new Error('connection reset'));
  }

  #rule({ name, payload }: OutboxItem) {
    if (this.#closed.has(name)) return { code: 'MSG_CHANNEL_NOT_FOUND', message: 'not open' };
    const isLimited = this.#limited.has(new TextDecoder().decode(payload));
    return isLimited ? { code: 'MSG_RATE_LIMITED', message: 'limited' } : undefined;
  }

  #worker(): ModelWorker {
    const clock = new ManualClock();
    const owner = `worker-${this.#nextOwner++}`;
    const random = { ...RANDOM, uuid: () => owner };
    const { store } = this;
    const figures = new WorkerFigures(() => undefined);
    // A process that has died does nothing any more.
    const never = new Promise<never>(() => undefined);
    const worker: ModelWorker = {
      clock,
      request: undefined,
      step: undefined,
      isStopped: false,
      isDead: false,
      missedMs: 0,
      claimer: new Claimer({
        msg: { publishMany: items => this.#send(worker, items) },
        store: {
          claim: (me, rows) => store.claim(me, rows),
          settle: (me, partitions, settlement) =>
            worker.isDead ? never : store.settle(me, partitions, settlement),
        },
        rows: BATCH,
        figures,
        openChannel: undefined,
        waitForChannelMs: WAIT_FOR_CHANNEL_MS,
        clock,
        random,
        pace: new Pace({ figures, clock, random, idle: () => never, beforeIdle: async () => false }),
      }),
    };
    return worker;
  }

  #send(worker: ModelWorker, items: readonly OutboxItem[]): Promise<readonly OutboxOutcome[]> {
    const answer = Promise.withResolvers<readonly OutboxOutcome[]>();
    const request = { items, sentAt: this.#elapsedMs, outcomes: undefined, answer };
    // The worker gave the one before up.
    if (worker.request !== undefined && worker.request.outcomes === undefined)
      this.#late.push(worker.request);
    worker.request = request;
    return answer.promise;
  }
}

function toggle(set: Set<string>, item: string): void {
  if (!set.delete(item)) set.add(item);
}
