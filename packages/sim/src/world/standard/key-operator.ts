import { setTimeout as wait } from 'node:timers/promises';
import type { RpcClient } from '@msg/core';
import type { Actor } from '../../kernel/actor.ts';
import type { Stream } from '../../kernel/stream.ts';
import type { WorldKernel } from '../../kernel/world-kernel.ts';
import type { AddedKey, KeyRecord, ListedKeys } from '../../oracles/backend-observations.ts';
import { backendRpc } from './backend-rpc.ts';
import type { Paces } from './paces.ts';

/** Of 100 keys so many become the one that signs, where keys are rotated. */
const PROMOTED_PERCENT = 50;
/** Of 100 changes so many retire a key that never signed, too. */
const RETIRED_PERCENT = 30;

/** Two people who add signing keys, often at the same moment, rotate them, and look at the list. */
export class KeyOperator {
  readonly #kernel: WorldKernel;
  readonly #actor: Actor;
  readonly #untilMs: number;
  readonly #added: AddedKey[] = [];
  readonly #lists: ListedKeys[] = [];
  readonly #retired: string[] = [];
  /** Added, and not asked to sign. */
  readonly #spare: string[] = [];
  readonly #paces: Paces;

  constructor(kernel: WorldKernel, actor: Actor, { untilMs, paces }: { untilMs: number; paces: Paces }) {
    this.#kernel = kernel;
    this.#actor = actor;
    this.#untilMs = untilMs;
    this.#paces = paces;
  }

  /** What they were told. */
  get record(): Required<KeyRecord> {
    return { added: this.#added, lists: this.#lists, retired: this.#retired };
  }

  /** Called once, by its actor. */
  async start(): Promise<void> {
    const draw = this.#actor.stream('key operator');
    const roads = [backendRpc(this.#kernel, this.#actor), backendRpc(this.#kernel, this.#actor)];
    while (this.#kernel.nowUs / 1000 < this.#untilMs) {
      await wait(draw.pick(this.#paces.keys));
      await Promise.all(roads.map(road => this.#add(road)));
      if (this.#paces.rotates) await Promise.all(roads.map(road => this.#rotate(road, draw)));
      await Promise.all(roads.map(road => this.#list(road)));
    }
  }

  /** Lets the newest key sign, and retires one that never did: what a retired key signed ends. */
  async #rotate(rpc: RpcClient, draw: Stream): Promise<void> {
    const newest = draw.chance(PROMOTED_PERCENT) ? this.#spare.pop() : undefined;
    const oldest = draw.chance(RETIRED_PERCENT) ? this.#spare.shift() : undefined;
    if (newest !== undefined) await rpc.call('PromoteKey', { id: newest }).catch(() => undefined);
    if (oldest === undefined) return;
    this.#retired.push(oldest);
    await rpc.call('RetireKey', { id: oldest }).catch(() => undefined);
  }

  async #add(rpc: RpcClient): Promise<void> {
    const begunUs = this.#kernel.nowUs;
    const key = await rpc.call('GenerateKey', {}).catch(() => undefined);
    if (key === undefined) return;
    this.#added.push({ id: key.id, begunUs, endedUs: this.#kernel.nowUs });
    this.#spare.push(key.id);
  }

  async #list(rpc: RpcClient): Promise<void> {
    const begunUs = this.#kernel.nowUs;
    const answer = await rpc.call('ListKeys', {}).catch(() => undefined);
    if (answer !== undefined)
      this.#lists.push({ ids: answer.keys.map(({ id }) => id), begunUs, endedUs: this.#kernel.nowUs });
  }
}
