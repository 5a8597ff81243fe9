import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { outcomeOf } from '#src/mcp/review-outcome.ts';
import { ReviewServer } from '#src/mcp/review-server.ts';
import { teamPulse } from '../../resolve/team-pulse.ts';
import { Tools, toolsOn } from '../in-process.ts';

const id = 'team-pulse';
/** Text that does not compress: more than a link holds. */
const ops = [{ op: 'replace', path: '/note/config/source', value: randomBytes(60_000).toString('base64') }];
let folder: Awaited<ReturnType<typeof toolsOn>>;
beforeAll(async () => {
  folder = await toolsOn({ [id]: teamPulse() });
});
afterAll(() => folder.stop());

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const http = (listener: RequestListener): Promise<string> => {
  const server = createHttpServer(listener);
  onTestFinished(() => server.closeAllConnections());
  return listening(server);
};

/** Takes connections, reads, and never answers. */
const silent = (): Promise<string> =>
  listening(createTcpServer(socket => socket.on('error', () => undefined)));

/** A proposal that no fragment of a link holds, so that the server must be asked. */
function validation(address: string, clock: ManualClock) {
  const review = new ReviewServer(address, clock);
  const tools = new Tools({ ...folder.tools.context, review });
  return tools.validate(id, ops, { preview: 'none', review: true });
}

describe('a validation with a review address that hangs', () => {
  it.each([
    ['after it was connected to', silent],
    ['in the middle of its answer', () => http((_request, answer) => void answer.write('{'))],
    [
      'while its answer drips',
      () =>
        http((request, answer) => {
          answer.write('{"proposal":"');
          request.on('data', () => undefined);
        }),
    ],
  ])('is answered after two seconds of its clock, %s', async (_name, address) => {
    const clock = new ManualClock();
    let isOver = false;
    const answered = validation(await address(), clock).finally(() => {
      isOver = true;
    });
    // Of both limits the one of the connection goes when the connection stands.
    await eventually('the connection stands', () => clock.pending === 1);
    await clock.advance(1_999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    const { data } = await answered;
    expect(data).toMatchObject({ ok: true, reviewHint: expect.stringContaining('does not answer') });
    expect(data).not.toHaveProperty('reviewUrl');
    expect(clock.pending).toBe(0);
  });

  it('is answered after one second when there is no connection', async () => {
    const clock = new ManualClock();
    // An address for documentation, which no network delivers to: whatever becomes of the packets, one second is all.
    const answered = validation('http://192.0.2.1:81', clock);
    await eventually('both limits stand or the network refuses', () => clock.pending !== 1);
    await clock.advance(1_000);
    expect((await answered).data).toMatchObject({
      ok: true,
      reviewHint: expect.stringContaining('does not answer'),
    });
  });

  it('of another kind, on another port, is a hint at once', async () => {
    const clock = new ManualClock();
    const { data } = await validation('http://127.0.0.1:9', clock);
    expect(data).toMatchObject({ ok: true, reviewHint: expect.any(String) });
    expect(clock.pending).toBe(0);
  });
});

describe('the wait for a decision', () => {
  const call = {
    ...{ tools: [], opensUrls: true, signal: new AbortController().signal },
    ...{ answer: 'accept' as const, state: 'aaaaaaaaaa' },
  };

  it('asks the server to wait 45 seconds, and waits two more for its answer', async () => {
    const asked: string[] = [];
    const address = await http(request => void asked.push(request.url ?? ''));
    const clock = new ManualClock();
    let isOver = false;
    const outcome = outcomeOf(new ReviewServer(address, clock), id, call).finally(() => {
      isOver = true;
    });
    await eventually('the server is asked', () => asked.length === 1 && clock.pending === 1);
    expect(asked).toEqual(['/api/proposals/aaaaaaaaaa?wait=45']);
    await clock.advance(46_999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(await outcome).toEqual({ state: 'open' });
    expect(clock.pending).toBe(0);
  });

  it('ends when the host cancels the call', async () => {
    const clock = new ManualClock();
    const cancelled = new AbortController();
    const outcome = outcomeOf(new ReviewServer(await silent(), clock), id, {
      ...call,
      signal: cancelled.signal,
    });
    await eventually('the connection stands', () => clock.pending === 1);
    cancelled.abort();
    expect(await outcome).toEqual({ state: 'open' });
    expect(clock.pending).toBe(0);
  });
});
