import { setTimeout as wait } from 'node:timers/promises';
import type { RpcClient } from '@msg/core';
import type { Actor } from '../../kernel/actor.ts';
import type { WorldKernel } from '../../kernel/world-kernel.ts';
import type { AddedKey, KeyRecord, ListedKeys } from '../../oracles/backend-observations.ts';
import { backendRpc } from './backend-rpc.ts';

const PAUSES_MS = [3000, 10_000, 30_000] as const;

/** Two people who add signing keys, often at the same moment, and look at the list. */
export class KeyOperator {
  readonly #kernel: WorldKernel;
  readonly #actor: Actor;
  readonly #untilMs: number;
  readonly #added: AddedKey[] = [];
  readonly #lists: ListedKeys[] = [];

  constructor(kernel: WorldKernel, actor: Actor, untilMs: number) {
    this.#kernel = kernel;
    this.#actor = actor;
    this.#untilMs = untilMs;
  }

  /** What they were told. */
  get record(): KeyRecord {
    return { added: this.#added, lists: this.#lists };
  }

  /** Called once, by its actor. */
  async start(): Promise<void> {
    const draw = this.#actor.stream('key operator');
    const roads = [backendRpc(this.#kernel, this.#actor), backendRpc(this.#kernel, this.#actor)];
    while (this.#kernel.nowUs / 1000 < this.#untilMs) {
      await wait(draw.pick(PAUSES_MS));
      await Promise.all(roads.map(road => this.#add(road)));
      await Promise.all(roads.map(road => this.#list(road)));
    }
  }

  async #add(rpc: RpcClient): Promise<void> {
    const begunUs = this.#kernel.nowUs;
    const key = await rpc.call('GenerateKey', {}).catch(() => undefined);
    if (key !== undefined) this.#added.push({ id: key.id, begunUs, endedUs: this.#kernel.nowUs });
  }

  async #list(rpc: RpcClient): Promise<void> {
    const begunUs = this.#kernel.nowUs;
    const answer = await rpc.call('ListKeys', {}).catch(() => undefined);
    if (answer !== undefined)
      this.#lists.push({ ids: answer.keys.map(({ id }) => id), begunUs, endedUs: this.#kernel.nowUs });
  }
}
