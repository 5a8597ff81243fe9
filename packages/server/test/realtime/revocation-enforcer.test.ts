import type { Client } from '@msg/engine';
import { ManualClock } from '@msg/foundation/clock/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { VerifiedToken } from '#src/auth/tokens/claims.ts';
import { ConnectionCredentials, SubscriptionCredentials } from '#src/realtime/credentials.ts';
import { RevocationEnforcer } from '#src/realtime/revocation-enforcer.ts';
import { settle } from '../support/settle.ts';

const tokenOf = (jti: string) => new VerifiedToken({ typ: 'access', iat: 0, exp: 1, jti }, 'k', 'f');

/** The part of a connection that the sweep looks at. */
class TestClient {
  state: unknown;
  readonly ended: string[] = [];
  readonly subscriptions = new Map<string, SubscriptionCredentials>();

  constructor(token: VerifiedToken | null) {
    this.state = new ConnectionCredentials(token);
  }

  channels(): string[] {
    return [...this.subscriptions.keys()];
  }

  subscriptionState(channel: string): unknown {
    return this.subscriptions.get(channel);
  }

  unsubscribe(channel: string, code: number): void {
    this.subscriptions.delete(channel);
    this.ended.push(`${channel} ${code}`);
  }
}

describe('the sweep after a revocation', () => {
  const revoked = new Set<VerifiedToken>();
  let clock: ManualClock;
  let clients: TestClient[];
  let asked: number;
  let live: RevocationEnforcer;
  let duringQuestion: () => void;

  beforeEach(() => {
    clock = new ManualClock();
    clients = [];
    asked = 0;
    duringQuestion = () => {};
    revoked.clear();
    live = new RevocationEnforcer({
      // Only what the sweep uses of a connection exists here.
      node: { clients: () => clients as unknown as Client[] },
      verifier: { isKeyLive: token => token.kid !== 'retired' },
      isRevoked: async token => {
        asked++;
        duringQuestion();
        await settle();
        return revoked.has(token);
      },
      clock,
      onError: error => expect.unreachable(String(error)),
    });
  });

  const connect = (token: VerifiedToken | null, subscriptions: Record<string, SubscriptionCredentials>) => {
    const client = new TestClient(token);
    for (const [channel, state] of Object.entries(subscriptions)) client.subscriptions.set(channel, state);
    clients.push(client);
    return client;
  };

  test('ends what rests on the token, asks once per token, spares public and other subscriptions', async () => {
    const [dead, alive] = [tokenOf('dead'), tokenOf('alive')];
    revoked.add(dead);
    const first = connect(dead, {
      'private:a.b.1': new SubscriptionCredentials('connection'),
      'private:a.b.2': new SubscriptionCredentials(alive),
      'public:a.b': new SubscriptionCredentials(null),
    });
    const second = connect(alive, { 'private:a.b.1': new SubscriptionCredentials(dead) });
    await live.sweep();
    expect(first.ended).toEqual(['private:a.b.1 2501']);
    expect(second.ended).toEqual(['private:a.b.1 2501']);
    expect(asked).toBe(2);
  });

  test('a retired key ends its subscriptions without asking the store', async () => {
    const token = new VerifiedToken({ typ: 'access', iat: 0, exp: 1 }, 'retired', 'f');
    const client = connect(token, { 'private:a.b.1': new SubscriptionCredentials('connection') });
    await live.sweep();
    expect(client.ended).toHaveLength(1);
    expect(asked).toBe(0);
  });

  test('a connection that refreshed while the store was asked is spared', async () => {
    const [dead, fresh] = [tokenOf('dead'), tokenOf('fresh')];
    revoked.add(dead);
    const client = connect(dead, { 'private:a.b.1': new SubscriptionCredentials('connection') });
    duringQuestion = () => {
      client.state = new ConnectionCredentials(fresh);
    };
    await live.sweep();
    expect(client.ended).toEqual([]);
  });

  test('a subscription that becomes live right after the first look is caught by the second', async () => {
    const dead = tokenOf('dead');
    revoked.add(dead);
    live.schedule();
    await clock.advance(100);
    const late = connect(dead, { 'private:a.b.1': new SubscriptionCredentials('connection') });
    await clock.advance(4000);
    expect(late.ended).toEqual(['private:a.b.1 2501']);
    live.schedule();
    await live.stop();
    expect(clock.pending).toBe(0);
  });
});
