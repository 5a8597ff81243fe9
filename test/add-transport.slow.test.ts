import { MsgClient, pickTransports, type Transport, transportEndpoint } from '@msg/client';
import { type MsgServer, startMsg } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RepositoryCopy } from './support/copy.ts';
import { blocksOf, isRepositoryStep, readPage } from './support/pages.ts';

const PAGE = 'docs/how-to-add-a-transport.md';
const PATH = '/connection/ndjson';

const connect = (server: MsgServer, abort?: AbortSignal): Promise<Response> =>
  fetch(server.url + PATH, {
    method: 'POST',
    body: '{"id":1,"connect":{}}',
    ...(abort === undefined ? {} : { signal: abort }),
  });

describe(`${PAGE}, in a copy`, { timeout: 180_000 }, () => {
  let copy: RepositoryCopy;
  let server: MsgServer | undefined;

  beforeAll(() => {
    copy = new RepositoryCopy([
      'foundation',
      'protocol',
      'redis',
      'engine',
      'core',
      'command-line',
      'console',
      'server',
    ]);
  });
  afterAll(async () => {
    await server?.stop();
    copy.remove();
  });

  it('nothing knows the transport before', async () => {
    server = await startMsg({ program: copy.msg });
    expect((await connect(server)).status).toBe(404);
    const { transports } = await new MsgClient({ endpoint: server.url }).fetchManifest();
    expect(transports).toEqual(['websocket', 'http_stream']);
    await server.stop();
  });

  it('a file and a row are mounted, in the manifest, in the metrics, and found by clients', async () => {
    for (const block of blocksOf(readPage(PAGE)).filter(isRepositoryStep)) copy.follow(block);
    expect(copy.typeErrors('engine')).toBe('');
    server = await startMsg({ program: copy.msg });

    const ending = new AbortController();
    const answer = await connect(server, ending.signal);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
    ]);
    const { value } = (await answer.body?.getReader().read()) ?? {};
    const reply = JSON.parse(Buffer.from(value ?? []).toString());
    expect(reply).toMatchObject({ id: 1, connect: { session: expect.any(String) } });

    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^msg_[a-z_]+\{transport="ndjson",encoding="json"\} 1$/m);

    const { transports } = await new MsgClient({ endpoint: server.url }).fetchManifest();
    expect(transports).toEqual(['websocket', 'http_stream', 'ndjson']);
    // The wrapper's type names what the stock client speaks; the choice and the address come from the manifest.
    const preferred = 'ndjson' as Transport;
    expect(pickTransports([preferred, 'websocket'], transports)).toEqual(['ndjson', 'websocket']);
    expect(transportEndpoint(server.url, preferred)).toBe(server.url + PATH);
    ending.abort();
  });
});
