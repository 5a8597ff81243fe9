import { systemRandom, type TimerHandle } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually } from '@msg/testkit';
import { FaultProxy, type ProxiedConnection } from '@msg/testkit/redis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectPostgres, OutboxWorker } from '#src/index.ts';
import { OutboxDatabase } from '../support/database.ts';
import { Service } from '../support/service.ts';

const POLL_MS = 500;
/** What a worker whose dice always fall in the middle makes of the interval. */
const NAP_MS = POLL_MS * 0.875;
const MINUTE_MS = 60_000;

/** Knows whether the worker sleeps until its next poll. */
class NapClock extends ManualClock {
  readonly #naps = new Set<TimerHandle>();

  get isNapping(): boolean {
    return this.#naps.size > 0;
  }

  override setTimeout(callback: () => void, ms: number): TimerHandle {
    if (ms !== NAP_MS) return super.setTimeout(callback, ms);
    const nap = super.setTimeout(() => {
      this.#naps.delete(nap);
      callback();
    }, ms);
    this.#naps.add(nap);
    return nap;
  }

  override clearTimeout(handle: TimerHandle): void {
    this.#naps.delete(handle);
    super.clearTimeout(handle);
  }
}

/** From now on nothing arrives on a connection that has asked for notifications, or asks later. */
function silenceListening(proxy: FaultProxy, listening: Set<ProxiedConnection>): void {
  for (const connection of listening) connection.silence();
  proxy.tap = (piece, from, connection) => {
    if (from === 'client' && piece.includes('LISTEN ')) connection.silence();
    return undefined;
  };
}

let db: OutboxDatabase;
beforeAll(async () => {
  db = await OutboxDatabase.start();
}, 240_000);
afterAll(() => db.stop());

it('a minute without notifications: each row arrives with the next poll', async () => {
  const proxy = await FaultProxy.start({ host: '127.0.0.1', port: db.server.port });
  const listening = new Set<ProxiedConnection>();
  proxy.tap = (piece, from, connection) => {
    if (from === 'client' && piece.includes('LISTEN ')) listening.add(connection);
    return undefined;
  };
  const sql = await connectPostgres({ url: db.url('admin', proxy.port) });
  const clock = new NapClock();
  const service = new Service();
  const random = { ...systemRandom, fraction: () => 0.5 };
  const worker = new OutboxWorker({ sql, msg: service, clock, random, pollIntervalMs: POLL_MS });
  try {
    worker.start();
    await eventually('listening', () => worker.stats().bell === 'listening');
    silenceListening(proxy, listening);
    const texts = Array.from({ length: Math.ceil(MINUTE_MS / NAP_MS) }, (_, n) => `${n}`);
    for (const [index, text] of texts.entries()) {
      await eventually('it sleeps', async () => {
        // Before, it may look once more for a transaction that was under way.
        if (!clock.isNapping) await clock.advance(1);
        return clock.isNapping;
      });
      await db.app`SELECT msg.publish('public:shop.a', ${text}::text)`;
      await clock.advance(NAP_MS);
      await eventually(`the row ${text}`, () => service.stream('public:shop.a').length === index + 1);
    }
    expect(service.stream('public:shop.a')).toEqual(texts);
    // It was found, and none that replaced it was heard.
    expect(worker.stats()).toMatchObject({ bell: 'polling', suppressed: 0, failure: undefined });
    expect(worker.stats().bellReplaced).toBeGreaterThan(0);
  } finally {
    const stopped = worker.stop();
    await clock.advance(MINUTE_MS); // a statement of the bell waits for its answer
    await stopped;
    await sql.end({ timeout: 0 });
    await proxy.stop();
  }
}, 240_000);
