import { eventually, freePort } from '@msg/testkit';
import { Centrifuge as Newest } from 'centrifuge';
import { Centrifuge as Previous } from 'centrifuge-5.7.4';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { ConnectionState, type StateChange } from '#src/connection-state.ts';

const MAX_DELAY_MS = 60;
const leftovers: (() => void)[] = [];
afterEach(() => {
  for (const end of leftovers.splice(0)) end();
});

/** A server that accepts every connection. */
async function listen(port: number): Promise<{ close(code: number, reason: string): Promise<void> }> {
  const server = new WebSocketServer({ port, host: '127.0.0.1' });
  server.on('connection', socket => {
    socket.once('message', data => {
      const { id } = JSON.parse(String(data)) as { id: number };
      socket.send(JSON.stringify({ id, connect: { client: 'c', version: '1' } }));
    });
  });
  await new Promise(resolve => server.once('listening', resolve));
  const close = async (code: number, reason: string): Promise<void> => {
    const closed = new Promise(resolve => server.close(resolve));
    for (const socket of server.clients) socket.close(code, reason);
    await closed;
  };
  leftovers.push(() => void close(1001, ''));
  return { close };
}

function follow(Stock: typeof Newest, port: number) {
  const stock = new Stock(`ws://127.0.0.1:${port}`, {
    websocket: WebSocket,
    minReconnectDelay: 10,
    maxReconnectDelay: MAX_DELAY_MS,
  });
  leftovers.push(() => stock.disconnect());
  const changes: StateChange[] = [];
  const state = new ConnectionState(stock, change => changes.push(change));
  const seen = (): string[] => changes.map(change => change.state);
  return { stock, state, changes, seen };
}

describe.each([
  ['newest', Newest],
  ['previous', Previous as unknown as typeof Newest],
])('the state of the connection, with the %s stock client', (_, Stock) => {
  it('says how often a server was not there, and when it is tried again', async () => {
    const port = await freePort();
    const { stock, state, changes } = follow(Stock, port);
    expect(state.current).toBe('idle');
    stock.connect();
    expect(state.current).toBe('connecting');
    await eventually('three failed attempts', () => changes.length >= 4);
    const [first, ...retries] = changes.slice(0, 4);
    expect(first).toEqual({
      state: 'connecting',
      previous: 'idle',
      reason: 'connect called',
      attempt: 0,
      nextRetryMs: undefined,
    });
    expect(retries.map(({ state, attempt, reason }) => ({ state, attempt, reason }))).toEqual(
      [1, 2, 3].map(attempt => ({ state: 'retrying', attempt, reason: 'transport closed' })),
    );
    expect(retries.map(({ previous }) => previous)).toEqual(['connecting', 'retrying', 'retrying']);
    for (const { nextRetryMs } of retries) {
      expect(nextRetryMs).toBeGreaterThanOrEqual(0);
      expect(nextRetryMs).toBeLessThanOrEqual(MAX_DELAY_MS);
    }
    await listen(port);
    await eventually('it is connected', () => state.current === 'connected');
    expect(changes.at(-1)).toEqual({
      state: 'connected',
      previous: 'retrying',
      reason: 'connected',
      attempt: 0,
      nextRetryMs: undefined,
    });
  });

  it('counts from the last connection', async () => {
    const port = await freePort();
    const server = await listen(port);
    const { stock, state, changes, seen } = follow(Stock, port);
    stock.connect();
    await eventually('it is connected', () => state.current === 'connected');
    await server.close(1001, '');
    await eventually('it tries again', () => state.current === 'retrying');
    expect(seen().slice(0, 4)).toEqual(['connecting', 'connected', 'connecting', 'retrying']);
    expect(changes[3]).toMatchObject({ attempt: 1, reason: 'transport closed' });
    await listen(port);
    await eventually('it is connected again', () => state.current === 'connected');
  });

  it('ends with the reason of the server, of the caller, or of the client itself', async () => {
    const port = await freePort();
    const server = await listen(port);
    const { stock, state, changes } = follow(Stock, port);
    const connect = async (): Promise<void> => {
      stock.connect();
      await eventually('it is connected', () => state.current === 'connected');
    };
    await connect();
    stock.disconnect();
    expect(changes.at(-1)).toMatchObject({ state: 'disconnected', reason: 'disconnect called' });
    await connect();
    state.close('signed out');
    expect(changes.at(-1)).toMatchObject({ state: 'disconnected', reason: 'signed out' });
    await connect();
    await server.close(3500, 'invalid token');
    await eventually('it is over', () => state.current === 'disconnected');
    expect(changes.at(-1)).toMatchObject({ previous: 'connected', reason: 'invalid token' });
  });

  it('does not leave idle by a close', () => {
    const { state, seen } = follow(Stock, 1);
    state.close('disconnect called');
    expect(state.current).toBe('idle');
    expect(seen()).toEqual([]);
  });
});
