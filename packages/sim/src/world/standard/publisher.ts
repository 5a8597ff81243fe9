import { setTimeout as wait } from 'node:timers/promises';
import { createRpcClient, type RpcClient } from '@msg/core';
import type { Actor } from '../../kernel/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Stream } from '../../kernel/stream.ts';
import { type Published, textOf } from '../../oracles/observations.ts';
import type { StandardSwitches } from '../../plan/standard-switches.ts';
import type { Round } from '../../plan/timetable.ts';
import { NODE_HOST, NODE_PORT } from '../node.ts';
import { PAUSES_MS, padding } from '../payloads.ts';
import { rpcFetch } from '../rpc-fetch.ts';

/** The key of the publishers in the service. */
export const PUBLISHER_KEY = 'key-of-the-publishers-in-the-simulation';

/** How long one call may take. */
const CALL_MS = 6000;
/** How long one publication is tried: shorter than the service remembers its key. */
const TRIED_MS = 60_000;
const PAUSES_BETWEEN_TRIES_MS = [50, 500, 3000] as const;

export interface PublisherParts {
  readonly switches: StandardSwitches;
  readonly channels: readonly string[];
  readonly rounds: readonly Round[];
  /** What a node acknowledged. */
  readonly answers: Published[];
  /** What was given up: it is in the stream once or not at all. */
  readonly givenUp: string[];
}

/** A backend: it publishes by the RPC through the load balancer, and repeats with its key what has no answer. */
export class Publisher {
  readonly #kernel: Kernel;
  readonly #actor: Actor;
  readonly #parts: PublisherParts;
  readonly #draw: Stream;
  #serial = 0;

  constructor(kernel: Kernel, actor: Actor, parts: PublisherParts) {
    this.#kernel = kernel;
    this.#actor = actor;
    this.#parts = parts;
    this.#draw = actor.stream('publisher');
  }

  /** Called once, by its actor. */
  start(): void {
    const rpc = createRpcClient({
      server: `http://${NODE_HOST}:${NODE_PORT}`,
      token: PUBLISHER_KEY,
      fetch: rpcFetch(),
      signal: () => AbortSignal.timeout(CALL_MS),
    });
    for (const channel of this.#parts.channels) void this.#publishInto(rpc, channel);
  }

  async #publishInto(rpc: RpcClient, channel: string): Promise<void> {
    const { switches, rounds } = this.#parts;
    const draw = this.#actor.stream(`publisher of ${channel}`);
    const everyMs = draw.pick(PAUSES_MS[switches.publishing]);
    let pad: (() => string) | undefined;
    for (const { fromMs, calmFromMs, quietFromMs } of rounds) {
      if (fromMs > this.#nowMs) await wait(fromMs - this.#nowMs);
      const isSilent = draw.chance(switches.silentPercent);
      const untilMs = isSilent ? fromMs + (calmFromMs - fromMs) * draw.fraction() : quietFromMs;
      pad ??= padding(switches.payloads, draw);
      for (;;) {
        await wait(draw.between(1, 2 * everyMs));
        if (this.#nowMs > untilMs) break;
        const payload = { from: this.#actor.name, channel, serial: ++this.#serial, pad: pad() };
        await this.#publish(rpc, channel, payload, quietFromMs);
      }
    }
  }

  async #publish(rpc: RpcClient, channel: string, payload: object, latestMs: number): Promise<void> {
    const text = textOf(payload);
    const key = `${this.#actor.name} ${this.#serial}`;
    const request = { name: channel, data: payload, idempotency_key: key };
    const untilMs = Math.min(this.#nowMs + TRIED_MS, latestMs);
    do {
      const answer = await rpc.call('Publish', request).catch(() => undefined);
      if (answer !== undefined) {
        const { offset, epoch } = answer;
        this.#parts.answers.push({ atUs: this.#kernel.nowUs, channel, epoch, offset: Number(offset), text });
        return;
      }
      await wait(this.#draw.pick(PAUSES_BETWEEN_TRIES_MS));
    } while (this.#nowMs < untilMs);
    this.#parts.givenUp.push(text);
  }

  get #nowMs(): number {
    return this.#kernel.nowUs / 1000;
  }
}
