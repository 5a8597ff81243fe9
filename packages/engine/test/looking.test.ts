import { type FrameRecorder, RealtimeNode, TimerWheel } from '@msg/engine';
import { ManualClock } from '@msg/foundation/clock/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryBroker } from '#src/broker/memory.ts';
import { MemoryPresence } from '#src/presence/memory.ts';
import { RecordingTransport, settled } from './session/parts.ts';

const CHANNELS = ['a', 'b'] as const;
type Channel = (typeof CHANNELS)[number];

type Step =
  | {
      readonly kind: 'subscribe' | 'unsubscribe' | 'publish';
      readonly channel: Channel;
      readonly client: 0 | 1;
    }
  | { readonly kind: 'look' | 'look away'; readonly channel: Channel; readonly client: 0 | 1 };

const STEP: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('subscribe', 'unsubscribe', 'publish', 'look', 'look away'),
  channel: fc.constantFrom(...CHANNELS),
  client: fc.constantFrom(0, 1),
});

/** Keeps numbers of what passed. */
class Recorder implements FrameRecorder {
  readonly seen: string[] = [];
  received(frame: Uint8Array): void {
    this.seen.push(`in ${Buffer.from(frame).toString()}`);
  }
  sent(message: Uint8Array): void {
    this.seen.push(`out ${Buffer.from(message).toString()}`);
  }
  sentInPieces(bytes: number): void {
    this.seen.push(`long ${bytes}`);
  }
  ended(code: number, reason: string): void {
    this.seen.push(`end ${code} ${reason}`);
  }
}

/** A broker that notes the channels that its node listens to. */
class NotingBroker extends MemoryBroker {
  readonly listening = new Set<string>();
  override async subscribe(channel?: string): Promise<void> {
    this.listening.add(String(channel));
  }
  override async unsubscribe(channel?: string): Promise<void> {
    this.listening.delete(String(channel));
  }
}

/** A node with two clients; all it draws and all its times are the same in every run. */
async function world() {
  const clock = new ManualClock();
  let drawn = 0;
  const random = {
    fraction: () => 0.5,
    bytes: (length: number) => new Uint8Array(length),
    uuid: () => `00000000-0000-4000-8000-${String(++drawn).padStart(12, '0')}`,
  };
  const broker = new NotingBroker({ clock, random, wheel: new TimerWheel(clock) });
  const presence = new MemoryPresence();
  const node = new RealtimeNode({
    nodeId: 'n',
    clock,
    random,
    broker,
    presence,
    policy: {
      connect: () => ({ user: 'u' }),
      subscribe: () => ({ recovery: 'stream', emitPresence: true, emitJoinLeave: true, pushJoinLeave: true }),
      streamOptions: () => ({ size: 100, ttlMs: 300_000 }),
    },
  });
  await node.start();
  const transports = [new RecordingTransport(), new RecordingTransport()] as const;
  const sessions = transports.map(transport => node.open(transport));
  let id = 0;
  const send = (client: number, command: object): void =>
    sessions[client]?.received(Buffer.from(JSON.stringify({ id: ++id, ...command })));
  for (const client of [0, 1]) send(client, { connect: {} });
  await settled();
  await settled();
  /** The clients leave, and the node stops. */
  const stop = (): Promise<void> => {
    for (const session of sessions) session.transportClosed();
    return node.shutdown();
  };
  return { node, broker, presence, transports, send, stop };
}

type World = Awaited<ReturnType<typeof world>>;

async function stateOf({ node, presence, transports }: World): Promise<unknown> {
  return {
    bytes: transports.map(({ writes }) => writes),
    stats: node.stats(),
    channels: [...node.channels()].sort(),
    counts: CHANNELS.map(channel => node.subscriberCount(channel)),
    presence: await Promise.all(CHANNELS.map(channel => presence.get(channel))),
    streams: await Promise.all(CHANNELS.map(channel => node.history(channel, { limit: -1, peek: true }))),
  };
}

/** Runs the steps, with the looks or without them. */
async function run(steps: readonly Step[], looks: boolean): Promise<unknown> {
  const all = await world();
  const { node, broker, send, stop } = all;
  const ends = new Map<string, () => void>();
  const offsets = new Map<string, number[]>();
  for (const { kind, channel, client } of steps) {
    if (kind === 'subscribe') send(client, { subscribe: { channel } });
    else if (kind === 'unsubscribe') send(client, { unsubscribe: { channel } });
    else if (kind === 'publish') await node.publish(channel, Buffer.from('{"n":1}'));
    else if (looks && kind === 'look') {
      const seen: number[] = [];
      const untap = await node.connections.tap(channel, {
        published: (_publication, { offset }) => void seen.push(offset),
      });
      const [one, two] = [...node.clients()];
      const unrecord = node.connections.record((client === 0 ? one : two)?.id ?? '', new Recorder());
      ends.get(channel)?.();
      ends.set(channel, () => {
        untap();
        unrecord?.();
      });
      offsets.set(channel, seen);
      expect(broker.listening.has(channel)).toBe(true);
    } else if (looks) {
      ends.get(channel)?.();
      ends.delete(channel);
    }
    for (let turn = 0; turn < 3; turn++) await settled();
  }
  // Each tap saw every offset of its time once.
  for (const seen of offsets.values())
    expect(seen).toEqual(seen.map((_offset, index) => (seen[0] ?? 0) + index));
  for (const end of ends.values()) end();
  await settled();
  const state = await stateOf(all);
  expect([...broker.listening].sort()).toEqual([...node.channels()].sort());
  await stop();
  return state;
}

describe('looking at a node', () => {
  it('changes nothing that a client, a count or a stream shows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { maxLength: 30 }), async steps => {
        expect(await run(steps, true)).toEqual(await run(steps, false));
      }),
      { numRuns: 60 },
    );
  });

  it('does not count as a channel or a subscriber while it lasts', async () => {
    const { node, broker, stop } = await world();
    const untap = await node.connections.tap('a', { published: () => {} });
    expect(node.stats()).toMatchObject({ channels: 0, subscriptions: 0 });
    expect([...node.channels()]).toEqual([]);
    expect(broker.listening).toEqual(new Set(['a']));
    untap();
    untap();
    await settled();
    expect(broker.listening).toEqual(new Set());
    await stop();
  });

  it('leaves nothing behind when the broker cannot listen', async () => {
    const { node, broker, stop } = await world();
    broker.subscribe = () => Promise.reject(new Error('down'));
    await expect(node.connections.tap('a', { published: () => {} })).rejects.toThrow('down');
    await settled();
    expect(node.stats().channels).toBe(0);
    await stop();
  });
});

describe('a recorder', () => {
  it('gets every frame and the end, and one client has one', async () => {
    const { node, send, stop } = await world();
    const [client] = [...node.clients()];
    const recorder = new Recorder();
    const end = node.connections.record(client?.id ?? '', recorder);
    expect(end).toBeTypeOf('function');
    expect(node.connections.record(client?.id ?? '', new Recorder())).toBeUndefined();
    expect(node.connections.record('other', new Recorder())).toBeUndefined();
    expect(node.connections.get(client?.id ?? '')?.recording).toBe(true);
    send(0, { subscribe: { channel: 'a' } });
    await settled();
    await node.publish('a', Buffer.from('{"n":1}'));
    await settled();
    client?.disconnect(3503, 'force disconnect');
    await settled();
    expect(recorder.seen[0]).toMatch(/^in .*"subscribe"/);
    expect(recorder.seen[1]).toMatch(/^out .*"subscribe"/);
    expect(recorder.seen.filter(line => line.includes('"data":{"n":1}'))).toHaveLength(1);
    expect(recorder.seen.at(-1)).toBe('end 3503 force disconnect');
    await stop();
  });

  it('that was ended gets nothing more', async () => {
    const { node, send, stop } = await world();
    const [client] = [...node.clients()];
    const recorder = new Recorder();
    node.connections.record(client?.id ?? '', recorder)?.();
    expect(node.connections.get(client?.id ?? '')?.recording).toBe(false);
    send(0, { subscribe: { channel: 'a' } });
    await settled();
    expect(recorder.seen).toEqual([]);
    await stop();
  });
});
