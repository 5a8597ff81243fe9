import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import { ConnectionState } from '#src/session/connection-state.ts';
import { Lifetime } from '#src/session/lifetime.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function lifetimeOf(ms: number): Lifetime {
  const clock = new ManualClock();
  return new Lifetime({ at: clock.now() + ms, clientRefresh: false }, 0, clock);
}

function connected(lifetime: Lifetime | null = null): ConnectionState {
  const state = new ConnectionState('id');
  state.begin(true);
  state.authenticated('ann');
  state.accepted({ info: bytes('1'), state: 'kept' }, lifetime);
  state.connected();
  return state;
}

describe('the state of a connection', () => {
  it('is open at first and has no user', () => {
    const state = new ConnectionState('id');
    expect(state).toMatchObject({
      id: 'id',
      phase: 'open',
      user: '',
      info: null,
      policyState: undefined,
      lifetime: null,
      resolvesChannelIds: false,
      expiresAt: Number.POSITIVE_INFINITY,
    });
  });

  it('goes from open over connecting to connected, and holds what was decided', () => {
    const state = new ConnectionState('id');
    expect(state.begin(true)).toBe(true);
    expect(state.phase).toBe('connecting');
    state.authenticated('ann');
    state.accepted({ info: bytes('1'), state: 'kept' }, null);
    state.connected();
    expect(state).toMatchObject({ phase: 'connected', user: 'ann', policyState: 'kept' });
    expect(state.resolvesChannelIds).toBe(true);
    expect(state.clientInfo(bytes('2'))).toEqual({
      user: 'ann',
      client: 'id',
      connInfo: bytes('1'),
      chanInfo: bytes('2'),
    });
  });

  it('begins once', () => {
    const state = new ConnectionState('id');
    expect(state.begin(true)).toBe(true);
    expect(state.begin(false)).toBe(false);
    expect(state.resolvesChannelIds).toBe(true);
    expect(connected().begin(true)).toBe(false);
  });

  it('refuses what a connect decides when none is under way', () => {
    const message = 'the connection must be connecting; it is open';
    const open = new ConnectionState('id');
    expect(() => open.authenticated('ann')).toThrow(message);
    expect(() => open.accepted({}, null)).toThrow(message);
    expect(() => open.connected()).toThrow(message);
    const closed = connected();
    closed.closed();
    expect(() => closed.connected()).toThrow('the connection must be connecting; it is closed');
    expect(closed.phase).toBe('closed');
  });

  it('says at its end whether it was connected', () => {
    expect(connected().closed()).toBe(true);
    const state = new ConnectionState('id');
    state.begin(true);
    state.rejected();
    expect(state.phase).toBe('rejected');
    expect(state.closed()).toBe(false);
    expect(state.closed()).toBe(false);
  });

  it('keeps what new credentials leave out, but for their end', () => {
    const state = connected(lifetimeOf(1000));
    state.refreshed({}, null);
    expect(state).toMatchObject({ info: bytes('1'), policyState: 'kept', lifetime: null });
    state.refreshed({ info: bytes('3'), state: undefined }, null);
    expect(state).toMatchObject({ info: bytes('3'), policyState: undefined });
  });

  it('expires while it is connected and the policy is not being asked', () => {
    const lifetime = lifetimeOf(1000);
    const connecting = new ConnectionState('id');
    connecting.begin(true);
    connecting.accepted({}, lifetime);
    expect(connecting.expiresAt).toBe(Number.POSITIVE_INFINITY);
    connecting.connected();
    expect(connecting.expiresAt).toBe(lifetime.dueAt);
    connecting.renewalBegan();
    expect(connecting.expiresAt).toBe(Number.POSITIVE_INFINITY);
    connecting.renewalEnded();
    expect(connecting.expiresAt).toBe(lifetime.dueAt);
  });
});
