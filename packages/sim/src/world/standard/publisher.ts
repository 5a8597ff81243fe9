import { setTimeout as wait } from 'node:timers/promises';
import type { RpcClient } from '@msg/core';
import type { Actor } from '../../kernel/actor.ts';
import type { Stream } from '../../kernel/stream.ts';
import type { WorldKernel } from '../../kernel/world-kernel.ts';
import { type Published, textOf } from '../../oracles/observations.ts';
import type { StandardSwitches } from '../../plan/standard-switches.ts';
import type { Round } from '../../plan/timetable.ts';
import { PAUSES_MS, padding } from '../payloads.ts';
import { backendRpc } from './backend-rpc.ts';
import type { Night } from './nights.ts';

/** How long one publication is tried: shorter than the service remembers its key. */
const TRIED_MS = 60_000;
const PAUSES_BETWEEN_TRIES_MS = [50, 500, 3000] as const;

export interface PublisherParts {
  readonly switches: StandardSwitches;
  readonly channels: readonly string[];
  readonly rounds: readonly Round[];
  /** Nothing is published in them. */
  readonly nights: readonly Night[];
  /** What a node acknowledged. */
  readonly answers: Published[];
  /** What was given up: it is in the stream once or not at all. */
  readonly givenUp: string[];
}

/** A backend: it publishes by the RPC through the load balancer, and repeats what has no answer if it has a key. */
export class Publisher {
  readonly #kernel: WorldKernel;
  readonly #actor: Actor;
  readonly #parts: PublisherParts;
  readonly #draw: Stream;
  #serial = 0;

  constructor(kernel: WorldKernel, actor: Actor, parts: PublisherParts) {
    this.#kernel = kernel;
    this.#actor = actor;
    this.#parts = parts;
    this.#draw = actor.stream('publisher');
  }

  /** Called once, by its actor. */
  start(): void {
    const rpc = backendRpc(this.#kernel, this.#actor);
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
        await this.#sleep();
        if (this.#nowMs > untilMs) break;
        const payload = { from: this.#actor.name, channel, serial: ++this.#serial, pad: pad() };
        await this.#publish(rpc, channel, payload, quietFromMs);
      }
    }
  }

  async #publish(rpc: RpcClient, channel: string, payload: object, latestMs: number): Promise<void> {
    const text = textOf(payload);
    const { keys } = this.#parts.switches;
    const key = keys ? { idempotency_key: `${this.#actor.name} ${this.#serial}` } : {};
    const request = { name: channel, data: payload, ...key };
    const untilMs = keys ? Math.min(this.#nowMs + TRIED_MS, latestMs) : this.#nowMs;
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

  /** Waits for the morning, if it is night. */
  async #sleep(): Promise<void> {
    const night = this.#parts.nights.find(
      ({ fromMs, untilMs }) => fromMs <= this.#nowMs && this.#nowMs < untilMs,
    );
    if (night !== undefined) await wait(night.untilMs - this.#nowMs);
  }

  get #nowMs(): number {
    return this.#kernel.nowUs / 1000;
  }
}
