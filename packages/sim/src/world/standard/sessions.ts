import { setTimeout as wait } from 'node:timers/promises';
import { MsgError, type RpcClient } from '@msg/core';
import type { Actor } from '../../kernel/actor.ts';
import type { Stream } from '../../kernel/stream.ts';
import type { WorldKernel } from '../../kernel/world-kernel.ts';
import type { Redemption } from '../../oracles/backend-observations.ts';
import { backendRpc } from './backend-rpc.ts';
import type { Paces } from './paces.ts';

/** A session lasts so many refreshes at most. */
const MOST_REFRESHES = 6;
/** Of 100 refreshes so many are asked for twice at the same time, as by two tabs, or by a thief. */
const TWICE_PERCENT = 40;

/** What a refresh token was exchanged for; undefined: for nothing, or the answer was lost. */
type Next = string | undefined;

/** Sessions of users, one after the other, which exchange their refresh tokens, and some of them twice. */
export class Sessions {
  readonly #kernel: WorldKernel;
  readonly #actor: Actor;
  readonly #draw: Stream;
  readonly #untilMs: number;
  readonly #redemptions: Redemption[];
  readonly #paces: Paces;
  #session = 0;

  constructor(
    kernel: WorldKernel,
    actor: Actor,
    parts: { untilMs: number; redemptions: Redemption[]; paces: Paces },
  ) {
    this.#paces = parts.paces;
    this.#kernel = kernel;
    this.#actor = actor;
    this.#draw = actor.stream('sessions');
    this.#untilMs = parts.untilMs;
    this.#redemptions = parts.redemptions;
  }

  /** Called once, by its actor. */
  async start(): Promise<void> {
    // Two connections, which lead to different nodes more often than not.
    const road = (): RpcClient => backendRpc(this.#kernel, this.#actor);
    const [tab, other] = [road(), road()];
    while (this.#kernel.nowUs / 1000 < this.#untilMs) {
      await wait(this.#draw.pick(this.#paces.refreshes));
      const request = {
        subject: 'ann',
        scopes: [{ pattern: 'public:**', verbs: ['subscribe'] }],
        refresh: true,
        session_ttl_seconds: this.#paces.sessionSeconds,
      };
      const pair = await tab.call('IssueAccess', request).catch(() => undefined);
      if (pair !== undefined) await this.#live(tab, other, pair.refresh_token);
    }
  }

  /** Refreshes until the session ends, and a few times more. */
  async #live(tab: RpcClient, other: RpcClient, first: string): Promise<void> {
    const session = ++this.#session;
    let token = first;
    for (let number = 0; number < MOST_REFRESHES; number++) {
      await wait(this.#draw.pick(this.#paces.refreshes));
      const redeemed = { session, number };
      const asked = [this.#redeem(tab, redeemed, token)];
      if (this.#draw.chance(TWICE_PERCENT)) {
        await wait(this.#draw.pick([0, 1, 10, 1000]));
        asked.push(this.#redeem(other, redeemed, token));
      }
      const next = (await Promise.all(asked)).find(answer => answer !== undefined);
      if (next === undefined) return;
      token = next;
    }
  }

  async #redeem(rpc: RpcClient, of: Pick<Redemption, 'session' | 'number'>, token: string): Promise<Next> {
    const begunUs = this.#kernel.nowUs;
    const noted = (outcome: Redemption['outcome']): void => {
      this.#redemptions.push({ ...of, begunUs, endedUs: this.#kernel.nowUs, outcome });
    };
    try {
      const { refresh_token: next } = await rpc.call('RefreshToken', { refresh_token: token });
      noted('redeemed');
      return next;
    } catch (error) {
      noted(error instanceof MsgError && error.code === 'MSG_AUTH_DENIED' ? 'denied' : 'failed');
      return undefined;
    }
  }
}
