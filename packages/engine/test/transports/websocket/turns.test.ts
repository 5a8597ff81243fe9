import { eventually } from '@msg/testkit';
import { clientFrame, HostileSocket, OPCODES, rawRequest, upgradeRequest } from '@msg/testkit/hostile';
import { afterEach, describe, expect, it } from 'vitest';
import { COMMANDS_PER_TURN } from '#src/session/command-queue.ts';
import { REPLY_TURN_BYTES } from '#src/session/reply-turns.ts';
import { UPGRADES_PER_TURN } from '#src/transports/websocket/upgrade-turns.ts';
import { Harness, OPEN_POLICY } from '../../harness.ts';

let harness: Harness;
const sockets: HostileSocket[] = [];
let turn = 0;
let counting = false;

/** Counts turns of the event loop until the test ends. */
function countTurns(): void {
  turn = 0;
  counting = true;
  const next = (): void => {
    turn++;
    if (counting) setImmediate(next);
  };
  setImmediate(next);
}

function most(turns: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const at of turns) counts.set(at, (counts.get(at) ?? 0) + 1);
  return Math.max(...counts.values());
}

/** What the turn that added most did add, from 0 on. */
function mostAdded(totals: readonly number[]): number {
  return Math.max(...totals.map((total, i) => total - (totals[i - 1] ?? 0)));
}

async function connected(): Promise<HostileSocket> {
  const socket = await HostileSocket.open(`http://127.0.0.1:${harness.port}`);
  sockets.push(socket);
  socket.send(upgradeRequest());
  await socket.until(/^HTTP\/1\.1 101/);
  socket.send(clientFrame('{"id":1,"connect":{}}'));
  await socket.until(/"connect":\{/);
  return socket;
}

const ping = (payload: string): Buffer => clientFrame(payload, { opcode: OPCODES.ping });
const pong = (payload: string): string => String.fromCharCode(0x80 | OPCODES.pong, payload.length) + payload;

afterEach(async () => {
  counting = false;
  for (const socket of sockets.splice(0)) socket.destroy();
  await harness.stop();
});

describe('one peer in one turn of the event loop', () => {
  it('has a bounded number of commands executed, in one frame or in many', async () => {
    const turns: number[] = [];
    harness = await Harness.start({
      policy: {
        ...OPEN_POLICY,
        rpc: () => {
          turns.push(turn);
          return Buffer.from('1');
        },
      },
    });
    const socket = await connected();
    countTurns();
    const commands = Array.from({ length: 300 }, (_, i) => `{"id":${i + 2},"rpc":{"data":1}}`);
    const frames = commands.map(command => clientFrame(command.replace('"id":', '"id":1')));
    await socket.sent(Buffer.concat([clientFrame(commands.join('\n')), ...frames]));
    await eventually('all have run', () => turns.length === 600);
    expect(most(turns)).toBeLessThanOrEqual(COMMANDS_PER_TURN);
  });

  it('gets one pong for all of its pings', async () => {
    harness = await Harness.start();
    const socket = await connected();
    await socket.sent(Buffer.concat(Array.from({ length: 50 }, (_, i) => ping(`ping ${i}`))));
    await socket.untilBytes(Buffer.from(pong('ping 49'), 'latin1'));
    const answered = Array.from({ length: 50 }, (_, i) => i).filter(i =>
      socket.text.includes(pong(`ping ${i}`)),
    );
    expect(answered.length).toBeLessThanOrEqual(2); // what was sent may be read in two pieces
  });

  it('is cut for more than 60 pings', async () => {
    harness = await Harness.start();
    const socket = await connected();
    await socket.sent(Buffer.concat(Array.from({ length: 200 }, () => ping('x'.repeat(125)))));
    await socket.ended();
    expect(socket.text).not.toContain('xxx');
  });

  it('is read from once, however much it has sent', async () => {
    harness = await Harness.start();
    const socket = await connected();
    await socket.sent('');
    const before = harness.node.stats().bytesIn;
    const seen: number[] = [];
    const frame = clientFrame(`{"id":2,"rpc":{"data":"${'x'.repeat(60_000)}"}}`);
    countTurns();
    const watch = (): void => {
      seen.push(harness.node.stats().bytesIn - before);
      if (counting) setImmediate(watch);
    };
    setImmediate(watch);
    await socket.sent(Buffer.concat(Array.from({ length: 20 }, () => frame)));
    await eventually('all has arrived', () => harness.node.stats().bytesIn - before >= 20 * 60_000);
    expect(mostAdded(seen)).toBeLessThanOrEqual(2 * 65_536);
  });
});

describe('long replies that are asked for together', () => {
  it('are written in turns of 1 MiB', async () => {
    harness = await Harness.start();
    for (let i = 0; i < 20; i++) await harness.publish('large', `"${'x'.repeat(262_144)}"`);
    const readers = await Promise.all(Array.from({ length: 8 }, () => connected()));
    const before = harness.node.stats().bytesOut;
    const seen: number[] = [];
    countTurns();
    const watch = (): void => {
      seen.push(harness.node.stats().bytesOut - before);
      if (counting) setImmediate(watch);
    };
    setImmediate(watch);
    for (const reader of readers) {
      reader.stopReading();
      reader.send(clientFrame('{"id":2,"subscribe":{"channel":"large","recover":true}}'));
    }
    await eventually('more than one turn is full', () => (seen.at(-1) ?? 0) > 3 * REPLY_TURN_BYTES);
    // The piece that reaches the bound belongs to its turn.
    expect(mostAdded(seen)).toBeLessThanOrEqual(REPLY_TURN_BYTES + 65_536);
  });
});

describe('upgrades that come together', () => {
  it('become connections in turns', async () => {
    harness = await Harness.start();
    const { node } = harness;
    const turns: number[] = [];
    const open = node.open.bind(node);
    node.open = transport => {
      turns.push(turn);
      return open(transport);
    };
    const opened = await Promise.all(
      Array.from({ length: 200 }, () => HostileSocket.open(`http://127.0.0.1:${harness.port}`)),
    );
    sockets.push(...opened);
    // Each has had an answer: the server has accepted all of them before the first upgrade comes.
    for (const socket of opened) socket.send(rawRequest({}));
    await Promise.all(opened.map(socket => socket.response()));
    countTurns();
    for (const socket of opened) socket.send(upgradeRequest());
    for (const socket of opened.slice(150)) socket.reset();
    await Promise.all(opened.slice(0, 150).map(socket => socket.until(/^HTTP\/1\.1 101/)));
    expect(turns.length).toBeGreaterThanOrEqual(150);
    expect(most(turns)).toBeLessThanOrEqual(UPGRADES_PER_TURN);
  });
});
