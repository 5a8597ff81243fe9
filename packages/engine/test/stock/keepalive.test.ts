import { describe, expect, it, vi } from 'vitest';
import { STOCK } from './stock-clients.ts';
import { serve } from './stock-server.ts';
import { WireTap } from './wire-tap.ts';

/** These wait, so all clients do so at once. */
vi.setConfig({ maxConcurrency: STOCK.length });

const FAST = { pingMs: 200, pongMs: 100 };
/** A busy machine may answer late, but a pong must come before the next ping: then it is unsolicited, which is 3501. */
const PATIENT = { pingMs: 2000, pongMs: 1900 };

describe.concurrent.each(STOCK)('pings, $name', stock => {
  it('are answered, and the connection lives on', async test => {
    const server = await serve(test, stock, { limits: PATIENT });
    const tap = new WireTap(stock);
    const client = await server.connected({ ...tap.options });
    await tap.until('three pings', () => tap.pings >= 3);
    await client.centrifuge.rpc('echo', null);
    await tap.until('three pongs', () => tap.pongs >= 3);
    expect(tap.replies[0]?.connect).toMatchObject({ ping: 2, pong: true });
    expect(client.events.names).toEqual(['connecting', 'connected']);
  });

  it('that stay without pong end the connection with 3012; the client returns and recovers', async test => {
    const server = await serve(test, stock, { limits: FAST });
    const tap = new WireTap(stock);
    const client = await server.connected({ ...tap.options });
    const subscription = await client.subscribed('news');
    tap.muted = true;
    expect(await client.events.next('connecting')).toEqual({ code: 3012, reason: 'no pong' });
    tap.muted = false;
    await server.publish('news', 'missed');
    expect(await subscription.events.next('subscribed')).toMatchObject({ recovered: true });
    expect((await subscription.receives(1)).map(({ data }) => data)).toEqual(['missed']);
  });

  it('are not sent where they are turned off, and the client does not miss them', async test => {
    const server = await serve(test, stock, { limits: { pingMs: 0 } });
    const tap = new WireTap(stock);
    const client = await server.connected({ ...tap.options, maxServerPingDelay: 20 });
    expect(tap.replies[0]?.connect).toMatchObject({ ping: 0, pong: false });
    for (let i = 0; i < 20; i++) await client.centrifuge.rpc('echo', null);
    expect(tap.pings).toBe(0);
    expect(client.events.names).toEqual(['connecting', 'connected']);
  });
});

const OVER_WEBSOCKET = STOCK.filter(({ transport }) => transport === 'websocket');

describe.concurrent.each(OVER_WEBSOCKET)('ping frames, $name', stock => {
  it('keep alive a client that also tells the endpoint to ping by WebSocket frames', async test => {
    const server = await serve(test, stock, { limits: { ...FAST, nativePongMs: 100 } });
    const tap = new WireTap(stock);
    const client = await server.connected({ ...tap.options }, '?cf_ws_frame_ping_pong=true');
    await tap.until('three ping frames', () => tap.pingFrames >= 3);
    expect(tap.replies[0]?.connect).toMatchObject({ ping: 0, pong: false });
    expect(tap.pings).toBe(0);
    expect(client.events.names).toEqual(['connecting', 'connected']);
  });
});
