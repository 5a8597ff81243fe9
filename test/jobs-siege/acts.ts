import type { Prng } from '../../packages/engine/test/model/prng.ts';
import type { Entry, Ledger } from './ledger.ts';
import { isRefusal, type Nodes, SINKS } from './nodes.ts';

const UNDO_SECONDS = 300;
const NEXT = 4;
export const ACTS = ['replay', 'edit', 'discard', 'hide', 'restore', 'stop'] as const;
const OFTEN = [
  ...ACTS,
  'replay',
  'edit',
  'hide',
  'restore',
  'replay',
  'edit',
  'hide',
  'restore',
  'restore',
] as const;
export type ActName = (typeof ACTS)[number];

/** One who does what operators do, at any living node. */
export class Operator {
  readonly #nodes: Nodes;
  readonly #ledger: Ledger;
  readonly #random: Prng;
  /** How often each act was carried out. */
  readonly done: Record<ActName, number> = { replay: 0, edit: 0, discard: 0, hide: 0, restore: 0, stop: 0 };
  /** Replays that say they sent their letter. */
  sent = 0;

  constructor(nodes: Nodes, ledger: Ledger, random: Prng) {
    this.#nodes = nodes;
    this.#ledger = ledger;
    this.#random = random;
  }

  /** Does something drawn to a drawn letter. A node that dies meanwhile takes the answer with it. */
  async act(): Promise<void> {
    // Discards and stops end what is looked at: there are fewer of them.
    const name = this.#random.pick(OFTEN);
    const sink = this.#random.pick(SINKS);
    const { rpc } = this.#nodes.at(this.#random.below(this.#nodes.count));
    if (name === 'stop') {
      await this.#stop(rpc, sink).catch(() => {});
      return;
    }
    const open = this.#ledger.open(sink);
    // A replay is of a letter that the job of the sink, or another operator, is about to send.
    const choices = name === 'replay' ? open.slice(0, NEXT) : open.filter(entry => !entry.isBusy);
    if (choices.length === 0) return;
    const entry = this.#random.pick(choices);
    entry.isBusy = true;
    try {
      await this.#do(name, rpc, entry);
      this.done[name]++;
    } catch (error) {
      if (!isRefusal(error)) this.#lost(name, entry);
    } finally {
      entry.isBusy = false;
    }
  }

  async #do(name: Exclude<ActName, 'stop'>, rpc: Rpc, entry: Entry): Promise<void> {
    const { id } = entry;
    if (name === 'replay') {
      const { outcome } = await rpc.call('DlqReplay', { id });
      if (outcome === 'sent') this.sent++;
    } else if (name === 'edit') {
      const version = ++entry.asked;
      const message = { subject: '', body: JSON.stringify({ n: entry.n, version }), metadata: new Map() };
      await rpc.call('DlqUpdate', { id, message });
      entry.version = version;
    } else if (name === 'discard') {
      await rpc.call('DlqDiscard', { id });
      entry.discarded = 'yes';
    } else if (name === 'hide') {
      const { discarded } = await rpc.call('DlqDiscard', { ids: [id], undo_seconds: UNDO_SECONDS });
      if (discarded === 1) entry.hidden = 'yes';
    } else {
      await rpc.call('DlqRestore', { ids: [id] });
      entry.hidden = 'no';
    }
  }

  /** Nobody knows whether it was done. */
  #lost(name: ActName, entry: Entry): void {
    if (name === 'replay') entry.isUnknown = true;
    if (name === 'discard') entry.discarded = 'maybe';
    if (name === 'hide' || name === 'restore') entry.hidden = 'maybe';
  }

  async #stop(rpc: Rpc, sink: string): Promise<void> {
    // Seldom: a job that is stopped is not one that is interrupted.
    if (!this.#random.chance(10)) return;
    const { jobs } = await rpc.call('DlqJobs', {});
    const job = jobs.find(row => row.sink === sink && row.state === 'running');
    if (job === undefined) return;
    await rpc.call('DlqJobStop', { job: job.id });
    this.done.stop++;
  }
}

type Rpc = ReturnType<Nodes['at']>['rpc'];
