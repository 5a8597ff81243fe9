import { describe, expect, it } from 'vitest';
import type { Disconnect } from '#src/errors.ts';
import { type DeadlineEvents, Deadlines, type Pings } from '#src/session/deadlines.ts';
import { contextOf } from './parts.ts';

const LIMITS = { staleMs: 10_000, refusedMs: 500, pingMs: 1000, presenceMs: 4000 };

/** A connection that notes what its deadlines have it do. */
class Connection implements DeadlineEvents, Pings {
  readonly pongMs = 300;
  readonly events: string[] = [];
  closed = false;
  readingPaused = false;
  expiresAt = Number.POSITIVE_INFINITY;

  close({ code, reason }: Disconnect): void {
    this.closed = true;
    this.events.push(`${code} ${reason}`);
  }

  ping(): void {
    this.events.push('ping');
  }

  readonly subscriptions = { tick: () => void this.events.push('tick') };

  expire(): void {
    this.expiresAt = Number.POSITIVE_INFINITY;
    this.events.push('expire');
  }
}

function start() {
  const { context, clock } = contextOf({}, { limits: LIMITS });
  const connection = new Connection();
  const deadlines = new Deadlines(context, connection, connection);
  const begin = clock.monotonic();
  /** Moves time and does what is due; answers what was done. */
  const after = async (ms: number) => {
    await clock.advance(ms);
    deadlines.runDue();
    return connection.events.splice(0);
  };
  return { connection, deadlines, clock, after, nextIn: () => deadlines.nextAt() - begin };
}

describe('the deadlines of a connection', () => {
  it('have one timer, set to the earliest of them, until the connection ends', async () => {
    const { connection, deadlines, clock } = start();
    deadlines.start();
    deadlines.rearm();
    await clock.advance(900);
    expect(connection.events).toEqual(['ping']);
    await clock.advance(500);
    expect(connection.events).toEqual(['ping', '3012 no pong']);
    expect(clock.pending).toBe(0);
    const other = start();
    other.deadlines.rearm();
    expect(other.clock.pending).toBe(1);
    other.deadlines.cancel();
    await other.clock.advance(LIMITS.staleMs * 2);
    expect(other.connection.events).toEqual([]);
  });

  it('end one that does not connect in time', async () => {
    const { after, nextIn } = start();
    expect(nextIn()).toBe(LIMITS.staleMs);
    expect(await after(LIMITS.staleMs - 1)).toEqual([]);
    expect(await after(1)).toEqual(['3502 stale']);
  });

  it('close one that was refused a while later', async () => {
    const { deadlines, after, nextIn } = start();
    deadlines.rejected();
    expect(nextIn()).toBe(LIMITS.refusedMs);
    expect(await after(LIMITS.refusedMs)).toEqual(['1000 connect refused']);
  });

  it('send pings from the second half of the interval on, and end one without a pong', async () => {
    const { deadlines, after, nextIn } = start();
    deadlines.start();
    // The fraction is one half: 1.5 × half an interval.
    expect(nextIn()).toBe(750);
    expect(await after(750)).toEqual(['ping']);
    expect(nextIn()).toBe(1050);
    expect(deadlines.onPong()).toBe(true);
    expect(deadlines.onPong()).toBe(false);
    expect(await after(1000)).toEqual(['ping']);
    expect(await after(300)).toEqual(['3012 no pong']);
  });

  it('wait for the pong of a peer that is not read', async () => {
    const { connection, deadlines, after } = start();
    deadlines.start();
    expect(await after(750)).toEqual(['ping']);
    connection.readingPaused = true;
    expect(await after(300)).toEqual([]);
    connection.readingPaused = false;
    expect(await after(299)).toEqual([]);
    expect(await after(1)).toEqual(['3012 no pong']);
  });

  it('tick at their own interval', async () => {
    const { deadlines, after } = start();
    deadlines.start();
    const done: string[] = [];
    for (let ms = 0; ms < 8000; ms += 250) {
      done.push(...(await after(250)));
      deadlines.onPong();
    }
    expect(done.filter(event => event === 'tick')).toHaveLength(2);
    expect(done.filter(event => event === 'ping')).toHaveLength(8);
  });

  it('expire credentials, unless the connection has just ended', async () => {
    const { connection, deadlines, after } = start();
    deadlines.start();
    connection.expiresAt = 0;
    expect(await after(0)).toEqual(['expire']);
    expect(await after(750)).toEqual(['ping']);
    connection.expiresAt = 0;
    expect(await after(300)).toEqual(['3012 no pong']);
  });
});
