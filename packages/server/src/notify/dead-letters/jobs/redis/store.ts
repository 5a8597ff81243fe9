import { defined } from '@msg/foundation/json';
import { lua } from '@msg/redis';
import type { SharedStore } from '../../../../stores/redis/shared-store.ts';
import {
  HOLD_MS,
  JOB_KEPT_MS,
  type JobStore,
  type RedriveJob,
  type StoredJob,
  type TakenLetter,
} from '../contract.ts';

const BEGIN = lua('./begin.lua', import.meta.url);
const SAVE = lua('./save.lua', import.meta.url);
const TAKE = lua('./take.lua', import.meta.url);

/** The jobs that all nodes share: a document, a list of letters and a mark of a stop for each, and a lock of its sink. */
export class RedisJobStore implements JobStore {
  readonly #store: SharedStore;

  constructor(store: SharedStore) {
    this.#store = store;
  }

  async begin(job: RedriveJob, letters: readonly string[]): Promise<string | undefined> {
    const holder = await this.hold(job);
    if (holder !== undefined) return holder;
    const keys = [this.#document(job.id), this.#letters(job.id), this.#names()];
    await this.#store.run(BEGIN, keys, [job.id, JSON.stringify(job), JOB_KEPT_MS, ...letters]);
    return undefined;
  }

  async hold({ id, sink }: RedriveJob): Promise<string | undefined> {
    const lock = this.#lock(sink);
    const held = await this.#store.call('SET', lock, id, 'NX', 'PX', HOLD_MS);
    if (held === null) return String((await this.#store.call('GET', lock)) ?? 'another job');
    await this.#store.call('DEL', this.#stop(id));
    return undefined;
  }

  save(job: RedriveJob): Promise<void> {
    return this.#save(job, HOLD_MS);
  }

  release(job: RedriveJob): Promise<void> {
    return this.#save(job, 0);
  }

  async #save(job: RedriveJob, holdMs: number): Promise<void> {
    const keys = [this.#document(job.id), this.#lock(job.sink), this.#letters(job.id)];
    await this.#store.run(SAVE, keys, [job.id, JSON.stringify(job), holdMs, JOB_KEPT_MS]);
  }

  async take(id: string): Promise<TakenLetter> {
    const answer = await this.#store.run(TAKE, [this.#letters(id), this.#stop(id)], []);
    const [stop, letter] = answer as [number, string | null]; // as the script says
    return { stop: stop === 1, ...defined({ id: letter ?? undefined }) };
  }

  async isStopRequested(id: string): Promise<boolean> {
    return (await this.#store.call('EXISTS', this.#stop(id))) === 1;
  }

  async requestStop(id: string): Promise<void> {
    await this.#store.call('SET', this.#stop(id), 1, 'PX', JOB_KEPT_MS);
  }

  async list(): Promise<readonly StoredJob[]> {
    const ids = (await this.#store.call('SMEMBERS', this.#names())) as string[]; // a set of texts
    const jobs = await Promise.all(ids.map(id => this.#read(id)));
    return jobs.filter(job => job !== undefined).sort((a, b) => b.job.startedAt - a.job.startedAt);
  }

  async #read(id: string): Promise<StoredJob | undefined> {
    const text = await this.#store.call('GET', this.#document(id));
    if (typeof text !== 'string') {
      await this.#store.call('SREM', this.#names(), id);
      return undefined;
    }
    const job = JSON.parse(text) as RedriveJob; // only this class writes it
    const [remaining, holder] = await Promise.all([
      this.#store.call('LLEN', this.#letters(id)),
      this.#store.call('GET', this.#lock(job.sink)),
    ]);
    return { job, remaining: Number(remaining), isHeld: holder === id };
  }

  #document(id: string): string {
    return this.#store.key(`dlqjob:${id}`);
  }

  #letters(id: string): string {
    return this.#store.key(`dlqjob:${id}:letters`);
  }

  #stop(id: string): string {
    return this.#store.key(`dlqjob:${id}:stop`);
  }

  #lock(sink: string): string {
    return this.#store.key(`dlqjobsink:${sink}`);
  }

  #names(): string {
    return this.#store.key('dlqjobs');
  }
}
