import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { HostileSocket, rawRequest } from '@msg/testkit/hostile';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeIdleConnections } from '#src/http/idle-connections.ts';

/** What answers announce, and what Node adds to it. */
const LONGEST_MS = 5000 + 1000;
const LOOK_MS = 250;

/** A clock whose timers run when a test says so, in the same turn. */
class TurnClock implements Clock {
  #now = 1000;
  #waiting: (() => void)[] = [];

  now = systemClock.now;
  monotonic = (): number => this.#now;
  afterTurn = systemClock.afterTurn;
  deadline = systemClock.deadline;
  clearTimeout = (): void => {};

  setTimeout(callback: () => void): object {
    this.#waiting.push(callback);
    return callback;
  }

  get pending(): number {
    return this.#waiting.length;
  }

  pass(ms: number): void {
    this.#now += ms;
    for (const callback of this.#waiting.splice(0)) callback();
  }
}

describe('an idle connection', () => {
  let server: Server;
  let url: string;
  let clock: TurnClock;

  beforeEach(async () => {
    clock = new TurnClock();
    server = createServer({ connectionsCheckingInterval: 50 }, (_request, response) => response.end('ok'));
    closeIdleConnections(server, clock);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(() => {
    server.closeAllConnections();
    return new Promise(resolve => server.close(resolve));
  });

  async function expectAnswer(socket: HostileSocket): Promise<void> {
    expect((await socket.response()).body.toString()).toBe('ok');
  }

  async function answeredOnce(): Promise<HostileSocket> {
    const socket = await HostileSocket.open(url);
    socket.send(rawRequest({}));
    await expectAnswer(socket);
    return socket;
  }

  it('is closed after its time', async () => {
    const socket = await answeredOnce();
    clock.pass(LOOK_MS);
    clock.pass(LONGEST_MS - LOOK_MS);
    expect(await socket.ended()).toBe('fin');
  });

  it('is not closed before the time that answers announce', async () => {
    const socket = await answeredOnce();
    clock.pass(LOOK_MS);
    clock.pass(5000 - LOOK_MS);
    await nextTurn();
    socket.send(rawRequest({}));
    await expectAnswer(socket);
  });

  it('has its whole time again after each answer', async () => {
    const socket = await answeredOnce();
    for (let again = 0; again < 3; again++) {
      for (let waited = 0; waited < 4000; waited += LOOK_MS) clock.pass(LOOK_MS);
      socket.send(rawRequest({}));
      await expectAnswer(socket);
    }
  });

  it('is not closed when its time ends in a turn that is too long to read the request that has arrived', async () => {
    const socket = await answeredOnce();
    clock.pass(LOOK_MS);
    socket.send(rawRequest({}));
    clock.pass(LONGEST_MS);
    await expectAnswer(socket);
  });

  it('is not closed while the head of its next request arrives, and is closed when no more of it comes', async () => {
    const socket = await answeredOnce();
    clock.pass(LOOK_MS);
    const request = rawRequest({});
    socket.send(request.slice(0, 10));
    // Another exchange takes longer than reading ten bytes.
    (await answeredOnce()).destroy();
    clock.pass(LONGEST_MS);
    await nextTurn();
    socket.send(request.slice(10));
    await expectAnswer(socket);
    // Node 22.12 takes the time back at the first byte of a head, and its own deadline for heads ends the connection.
    server.headersTimeout = 200;
    socket.send(request.slice(0, 10));
    (await answeredOnce()).destroy();
    for (let look = 0; look < 30; look++) clock.pass(LOOK_MS);
    expect(await socket.ended()).toBe('fin');
  });

  it('sets no timer after the last connection has closed', async () => {
    const socket = await answeredOnce();
    expect(clock.pending).toBe(1);
    socket.destroy();
    const open = (): Promise<number> =>
      new Promise(resolve => server.getConnections((_error, count) => resolve(count)));
    while ((await open()) > 0) await nextTurn();
    clock.pass(LOOK_MS);
    expect(clock.pending).toBe(0);
  });
});
