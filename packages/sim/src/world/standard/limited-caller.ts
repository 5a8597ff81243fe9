import { setTimeout as wait } from 'node:timers/promises';
import { MsgError, type RpcClient } from '@msg/core';
import type { Actor } from '../../kernel/actor.ts';
import type { WorldKernel } from '../../kernel/world-kernel.ts';
import type { LimitedCall } from '../../oracles/backend-observations.ts';
import { backendRpc } from './backend-rpc.ts';

/** Its channel, outside of those that others follow. */
export const LIMITED_CHANNEL = 'public:limited.c0';
/** The limit of publications in it. */
export const LIMIT = { rate: 10, perMs: 20_000, burst: 0 } as const;

/** Calls at the same moment. */
const AT_ONCE = [1, 1, 2, 5] as const;

/** A backend that publishes more than its limit allows, through several connections. */
export class LimitedCaller {
  readonly #kernel: WorldKernel;
  readonly #actor: Actor;
  readonly #untilMs: number;
  readonly #calls: LimitedCall[];
  readonly #pausesMs: readonly number[];
  #serial = 0;

  constructor(
    kernel: WorldKernel,
    actor: Actor,
    parts: { untilMs: number; calls: LimitedCall[]; pausesMs: readonly number[] },
  ) {
    this.#pausesMs = parts.pausesMs;
    this.#kernel = kernel;
    this.#actor = actor;
    this.#untilMs = parts.untilMs;
    this.#calls = parts.calls;
  }

  /** Called once, by its actor. */
  async start(): Promise<void> {
    const draw = this.#actor.stream('limited caller');
    const roads = [backendRpc(this.#kernel, this.#actor), backendRpc(this.#kernel, this.#actor)];
    while (this.#kernel.nowUs / 1000 < this.#untilMs) {
      await wait(draw.pick(this.#pausesMs));
      const count = draw.pick(AT_ONCE);
      const road = draw.pick(roads);
      await Promise.all(Array.from({ length: count }, () => this.#call(road)));
    }
  }

  async #call(rpc: RpcClient): Promise<void> {
    const begunUs = this.#kernel.nowUs;
    const data = { from: this.#actor.name, serial: ++this.#serial };
    const outcome = await rpc.call('Publish', { name: LIMITED_CHANNEL, data }).then(
      () => 'accepted' as const,
      (error: unknown) =>
        error instanceof MsgError && error.code === 'MSG_RATE_LIMITED' ? 'refused' : ('failed' as const),
    );
    this.#calls.push({ begunUs, endedUs: this.#kernel.nowUs, outcome });
  }
}
