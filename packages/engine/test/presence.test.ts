import type { Presence, SubscribeDecision } from '@msg/engine';
import { MemoryPresence } from '@msg/engine';
import type { Encoding } from '@msg/protocol';
import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from './harness.ts';

let harness: Harness;
afterEach(() => harness.stop());

async function start(decision: SubscribeDecision, presence?: Presence): Promise<void> {
  harness = await Harness.start({
    ...(presence === undefined ? {} : { presence }),
    policy: {
      ...OPEN_POLICY,
      connect: ({ token }) => ({ user: token, info: Buffer.from(JSON.stringify({ name: token })) }),
      subscribe: () => ({ info: Buffer.from('{"role":1}'), ...decision }),
      presence: () => {},
      presenceStats: () => {},
    },
  });
}

async function join(token: string, encoding: Encoding = 'json') {
  const client = await harness.open({ encoding });
  const { connect } = await client.request({ connect: { token } });
  await client.request({ subscribe: { channel: 'room', joinLeave: true } });
  return { client, id: connect?.client ?? '' };
}

describe.each<Encoding>(['json', 'protobuf'])('presence, %s', encoding => {
  it('shows who is subscribed, counts users once, and forgets who left', async () => {
    await start({ emitPresence: true });
    const a = await join('u1', encoding);
    const b = await join('u1', encoding);
    const c = await join('', encoding);
    const { presence } = await a.client.request({ presence: { channel: 'room' } });
    expect([...(presence?.presence.keys() ?? [])].sort()).toEqual([a.id, b.id, c.id].sort());
    const entry = presence?.presence.get(b.id);
    expect([entry?.user, entry?.client]).toEqual(['u1', b.id]);
    expect(Buffer.from(entry?.connInfo ?? []).toString()).toBe('{"name":"u1"}');
    expect(Buffer.from(entry?.chanInfo ?? []).toString()).toBe('{"role":1}');
    const stats = async () => (await a.client.request({ presenceStats: { channel: 'room' } })).presenceStats;
    expect(await stats()).toEqual({ numClients: 3, numUsers: 2 });
    await c.client.request({ unsubscribe: { channel: 'room' } });
    expect(await stats()).toEqual({ numClients: 2, numUsers: 1 });
    await b.client.close();
    await eventually('the entry is gone', async () => (await stats())?.numClients === 1);
  });

  it('tells others of joins and leaves, and the subscriber of its own join after its reply', async () => {
    await start({ emitJoinLeave: true, pushJoinLeave: true });
    const a = await join('u1', encoding);
    expect((await a.client.push()).join?.info).toMatchObject({ user: 'u1', client: a.id });
    const b = await join('u2', encoding);
    const { channel, join: joined } = await a.client.push();
    expect([channel, joined?.info?.user, joined?.info?.client]).toEqual(['room', 'u2', b.id]);
    expect(Buffer.from(joined?.info?.chanInfo ?? []).toString()).toBe('{"role":1}');
    await b.client.close();
    expect((await a.client.push()).leave?.info).toMatchObject({ user: 'u2', client: b.id });
  });
});

/** A backend whose steps wait until the test lets them go on. */
class GatedPresence extends MemoryPresence {
  readonly log: string[] = [];
  #open: (() => void)[] = [];
  gated = false;

  release(): void {
    for (const open of this.#open.splice(0)) open();
  }

  override async add(...args: Parameters<MemoryPresence['add']>): Promise<void> {
    this.log.push('add');
    if (this.gated) await new Promise<void>(resolve => this.#open.push(resolve));
    await super.add(...args);
  }

  override async remove(...args: Parameters<MemoryPresence['remove']>): Promise<void> {
    this.log.push('remove');
    await super.remove(...args);
  }
}

describe('announcements', () => {
  it('never show a leave before its join, however fast the client is gone', async () => {
    await start({ emitJoinLeave: true, pushJoinLeave: true });
    const watcher = await join('watcher');
    await watcher.client.push();
    for (let i = 0; i < 20; i++) {
      const client = await harness.open();
      client.sendBatch([{ connect: { token: 'u' } }, { subscribe: { channel: 'room' } }]);
      client.websocket.terminate();
    }
    await eventually('all are gone', () => harness.node.stats().connections === 1);
    const presentByPushes = () => {
      const present = new Set<string>();
      for (const { push } of watcher.client.received) {
        const joined = push?.join?.info?.client;
        const left = push?.leave?.info?.client;
        if (joined !== undefined) present.add(joined);
        if (left !== undefined) expect(present.delete(left)).toBe(true);
      }
      return present;
    };
    // On a store the last leaves are still on their way.
    await eventually('every join has its leave', () => presentByPushes().size === 0);
  });

  it('let no late refresh bring an entry back', async () => {
    const presence = new GatedPresence();
    await start({ emitPresence: true }, presence);
    const a = await join('u1');
    presence.gated = true;
    await harness.clock.advance(25_200);
    expect(presence.log).toEqual(['add', 'add']);
    await a.client.close();
    await eventually('the session is closed', () => harness.node.stats().connections === 0);
    presence.release();
    await eventually('the entry was removed last', () => presence.log.at(-1) === 'remove');
    await eventually('nobody is there', async () => (await presence.get('room')).size === 0);
  });

  it('undo the entry of a subscribe whose client went away while it was added', async () => {
    const presence = new GatedPresence();
    presence.gated = true;
    await start({ emitPresence: true }, presence);
    const client = await harness.open();
    client.sendBatch([{ connect: { token: 'u' } }, { subscribe: { channel: 'room' } }]);
    await eventually('the entry is being added', () => presence.log.length === 1);
    client.websocket.terminate();
    await eventually('the session is closed', () => harness.node.stats().connections === 0);
    presence.release();
    await eventually('the entry was removed', () => presence.log.at(-1) === 'remove');
    expect((await presence.get('room')).size).toBe(0);
  });

  it('that fail end the connection with 3004 and leave nothing behind', async () => {
    const presence = new MemoryPresence();
    presence.add = () => Promise.reject(new Error('backend gone'));
    await start({ emitPresence: true }, presence);
    const client = await harness.open();
    client.sendBatch([{ connect: {} }, { subscribe: { channel: 'room' } }]);
    expect(await client.closed()).toEqual({ code: 3004, reason: 'internal server error' });
  });
});
