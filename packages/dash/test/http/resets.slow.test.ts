import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type HostileSocket,
  pipelined,
  type RawRequest,
  RESET_STAGES,
  rawRequest,
} from '@msg/testkit/hostile';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { canonicalBytes } from '#src/document/canonical.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { Serving } from './serving.ts';

const TRIES = 8;
const id = 'team-pulse';

/** What `curl --http2` and the client of Java's standard library offer. */
const H2C = [
  ['Connection', 'Upgrade, HTTP2-Settings'],
  ['Upgrade', 'h2c'],
  ['HTTP2-Settings', 'AAMAAABkAAQAoAAAAAIAAAAA'],
] as const;
const WEBSOCKET = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
] as const;

const DRY_RUN: RawRequest = {
  method: 'POST',
  target: '/api/validate',
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify({ id, ops: [{ op: 'replace', path: '/$manifest/title', value: 'Pulse' }] }),
};

function offering(request: RawRequest, offer: NonNullable<RawRequest['headers']>): RawRequest {
  return { ...request, headers: [...offer, ...(request.headers ?? [])] };
}

/** Requests of each kind, and the status of their answer; 0: the connection is closed without one. */
const REQUESTS: Readonly<Record<string, readonly [bytes: Buffer, status: number]>> = {
  'a page': [rawRequest({ target: '/' }), 200],
  'a document': [rawRequest({ target: `/api/d/${id}/tree` }), 200],
  'a style sheet': [rawRequest({ target: '/static/page.css' }), 200],
  'a dry run': [rawRequest(DRY_RUN), 200],
  'an unknown path': [rawRequest({ target: '/nowhere' }), 404],
  'another method': [rawRequest({ method: 'DELETE', target: '/api/dashboards' }), 405],
  'a foreign host': [rawRequest({ target: '/', headers: [['Host', 'evil.example']] }), 403],
  h2c: [rawRequest(offering({ target: '/' }, H2C)), 200],
  'h2c with a body': [rawRequest(offering(DRY_RUN, H2C)), 200],
  'a WebSocket': [rawRequest(offering({ target: '/' }, WEBSOCKET)), 200],
  'an expectation': [rawRequest(offering(DRY_RUN, [['Expect', '100-continue']])), 200],
  CONNECT: [rawRequest({ method: 'CONNECT', target: 'a.example:443' }), 0],
  'what is not HTTP': [Buffer.from('\x16\x03\x01\r\n\r\n'), 400],
  'many requests at once': [pipelined(Array.from({ length: 30 }, () => ({ target: '/' }))), 200],
};

describe('a reset connection ends nothing but itself', () => {
  let serving: Serving;
  let directory: string;
  async function start(): Promise<void> {
    serving = await Serving.start([id, '--root', directory]);
  }
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'dash-resets-'));
    await writeFile(join(directory, `${id}.json`), canonicalBytes(teamPulse()));
    await start();
  });
  beforeEach(async () => {
    if (serving.hasEnded) await start();
  });
  afterAll(async () => {
    await serving.stop();
    await rm(directory, { recursive: true });
  });

  const cases = Object.keys(REQUESTS).flatMap(name =>
    Object.keys(RESET_STAGES).map(stage => [name, stage] as const),
  );
  it.each(cases)('%s, reset %s', async (name, stage) => {
    const [bytes, status] = REQUESTS[name] ?? expect.unreachable();
    const reset = RESET_STAGES[stage] ?? expect.unreachable();
    const request = {
      url: serving.url,
      bytes,
      answering: (socket: HostileSocket) => (status === 0 ? socket.ended() : socket.until(/./)),
      answered: async (socket: HostileSocket) => {
        if (status === 0) await socket.ended();
        else expect((await socket.response()).status).toBe(status);
      },
    };
    await Promise.all(Array.from({ length: TRIES }, () => reset(request)));
    const health = await fetch(`${serving.url}/healthz`).then(answer => answer.status, String);
    expect({ health, hasEnded: serving.hasEnded, stderr: serving.stderr }).toEqual({
      health: 200,
      hasEnded: false,
      stderr: '',
    });
  });
});
