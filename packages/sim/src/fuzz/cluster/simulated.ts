import { beginMigration, deliver, keysInSlot, learnOwner, moveKey } from '../../redis/cluster/migration.ts';
import { slotOf } from '../../redis/cluster/slots.ts';
import { ClusterView, type Member } from '../../redis/cluster/view.ts';
import type { Bytes } from '../../redis/reply.ts';
import { Session } from '../../redis/session.ts';
import { RedisState } from '../../redis/state.ts';
import { type Node, Replies } from '../replies.ts';
import { type Compile, request } from '../sequence.ts';
import type { ClusterStep } from './draw-steps.ts';

/** A connection to a simulated member. */
class Peer {
  readonly #session: Session;
  readonly #replies = new Replies();
  readonly #nodes: Node[] = [];

  constructor(state: RedisState) {
    this.#session = new Session(state, { send: bytes => this.#replies.push(bytes), end: () => undefined });
  }

  write(args: readonly Bytes[]): void {
    this.#session.receive(request(args));
  }

  /** How much has come since {@link take}. */
  arrived(): number {
    for (let node = this.#replies.next(); node !== undefined; node = this.#replies.next())
      this.#nodes.push(node);
    return this.#nodes.length;
  }

  /** Everything since the last call. */
  take(): readonly Node[] {
    this.arrived();
    return this.#nodes.splice(0);
  }
}

/** A slot on its way. */
export interface Migration {
  readonly slot: number;
  readonly from: number;
  readonly to: number;
}

/** A simulated cluster whose members have the names and places of the real ones. */
export class SimulatedCluster {
  /** Which member serves which slot outlives a sequence, as in the real one. */
  readonly #views: readonly ClusterView[];
  readonly #compile: Compile;
  #states: readonly RedisState[] = [];
  #callers: readonly Peer[] = [];
  #readers: readonly Peer[] = [];
  migration: Migration | undefined;

  constructor(members: readonly Member[], compile: Compile) {
    this.#views = members.map((_, index) => new ClusterView(members, index));
    this.#compile = compile;
  }

  /** Begins anew without data and connections. */
  reset(): void {
    this.#states = this.#views.map(view => {
      const state = new RedisState({ nowUs: () => 1e15, random: () => 0.5, compile: this.#compile });
      state.cluster = view;
      state.published = ({ args }) => this.#passOn(state, args);
      return state;
    });
    this.#callers = this.#states.map(state => new Peer(state));
    this.#readers = this.#states.map(state => new Peer(state));
  }

  /** What the step means for the operator of the real cluster: a slot that begins or ends its way, or none does. */
  operate(step: Exclude<ClusterStep, { kind: 'call' | 'listen' }>): Migration | undefined {
    if (step.kind === 'begin') return this.#begin(step.key, step.to);
    const { migration } = this;
    if (migration === undefined) return undefined;
    const { slot, from, to } = migration;
    const keys = step.kind === 'end' ? keysInSlot(slot, this.#state(from)) : [step.key];
    for (const key of keys) moveKey(key, this.#state(from), this.#state(to));
    if (step.kind === 'end') {
      for (const state of this.#states) learnOwner(slot, this.#state(to), state);
      this.migration = undefined;
    }
    return migration;
  }

  /** Which member serves the slot of a key. */
  ownerOf(key: Bytes): number {
    return this.#views.findIndex(view => view.ownerOf(slotOf(key)) === view.self);
  }

  call(node: number, args: readonly Bytes[]): readonly Node[] {
    this.#callers[node]?.write(args);
    return this.#callers[node]?.take() ?? [];
  }

  listen(node: number, args: readonly Bytes[]): void {
    this.#readers[node]?.write(args);
  }

  /** How much a reader has got. */
  arrived(node: number): number {
    return this.#readers[node]?.arrived() ?? 0;
  }

  /** What each reader got since the sequence began. */
  heard(): readonly (readonly Node[])[] {
    return this.#readers.map(reader => reader.take());
  }

  #begin(key: Bytes, to: number): Migration | undefined {
    const slot = slotOf(key);
    const from = this.ownerOf(key);
    if (this.migration !== undefined || from === to) return undefined;
    beginMigration(slot, this.#state(from), this.#state(to));
    this.migration = { slot, from, to };
    return this.migration;
  }

  #passOn(from: RedisState, args: readonly Bytes[]): void {
    if (args[0]?.toLowerCase() !== 'publish') return;
    for (const state of this.#states) if (state !== from) deliver(args, state);
  }

  #state(index: number): RedisState {
    return this.#states[index] as RedisState; // one for each member
  }
}
