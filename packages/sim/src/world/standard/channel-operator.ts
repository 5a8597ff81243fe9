import { setTimeout as wait } from 'node:timers/promises';
import type { RpcClient } from '@msg/core';
import type { Actor } from '../../kernel/actor.ts';
import type { Stream } from '../../kernel/stream.ts';
import type { WorldKernel } from '../../kernel/world-kernel.ts';
import { backendRpc } from './backend-rpc.ts';
import type { Paces } from './paces.ts';

/** Channels at the same time. */
const CHANNELS = 3;

/** Opens channels that close when nothing happens in them, touches each for a while, and deletes some. */
export class ChannelOperator {
  readonly #kernel: WorldKernel;
  readonly #actor: Actor;
  readonly #draw: Stream;
  readonly #untilMs: number;
  readonly #paces: Paces;

  constructor(kernel: WorldKernel, actor: Actor, { untilMs, paces }: { untilMs: number; paces: Paces }) {
    this.#kernel = kernel;
    this.#actor = actor;
    this.#paces = paces;
    this.#draw = actor.stream('channel operator');
    this.#untilMs = untilMs;
  }

  /** Called once, by its actor. */
  start(): void {
    const rpc = backendRpc(this.#kernel, this.#actor);
    for (let number = 0; number < CHANNELS; number++) void this.#use(rpc, `public:swept.c${number}`);
  }

  async #use(rpc: RpcClient, name: string): Promise<void> {
    const { ttlSeconds, touches, idle, deletedPercent } = this.#paces;
    const isOver = (): boolean => this.#kernel.nowUs / 1000 > this.#untilMs;
    while (!isOver()) {
      const ttl = this.#draw.pick(ttlSeconds);
      await rpc.call('OpenPublic', { name, ttl_seconds: ttl }).catch(() => undefined);
      for (let left = this.#draw.below(20); left > 0 && !isOver(); left--) {
        await wait(this.#draw.pick(touches));
        await rpc.call('TouchChannel', { name }).catch(() => undefined);
      }
      if (deletedPercent > 0 && this.#draw.chance(deletedPercent))
        await rpc.call('DeleteChannel', { name }).catch(() => undefined);
      await wait(this.#draw.pick(idle));
    }
  }
}
