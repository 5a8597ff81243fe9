import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeServer } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from './service.ts';
import { PATHS, Stranger, WAYS } from './stranger.ts';
import { Visit } from './visit.ts';

let service: Service;
let stranger: Stranger;
let visit: Visit;
let hostile: Page;

beforeAll(async () => {
  service = await Service.start();
  stranger = await Stranger.start(service);
  ({ visit, page: hostile } = stranger);
});
afterAll(async () => {
  await stranger.stop();
  await service.stop();
});

/** What a form says its text is. */
const FORMS = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'] as const;

describe.each([
  ['another site', 'evil.test', 0],
  ['another port of the same host', '127.0.0.1', 1],
  ['another name of this machine', 'localhost', 2],
])('a page of %s', (_what, host, row) => {
  it.each(Object.keys(WAYS))('does nothing and reads nothing by %s', async name => {
    await visit.open('');
    await visit.sees(service.everyNodeAnswers);
    await hostile.goto(stranger.at(host));
    const before = await stranger.state();
    for (const path of PATHS) expect([path, await stranger.goes(name, path)]).toEqual([path, []]);
    expect(await stranger.state()).toEqual(before);
  });

  it('does nothing by leading the victim away, and reads nothing of a window that it opens', async () => {
    const before = await stranger.state();
    for (const path of PATHS) {
      await hostile.goto(stranger.at(host));
      const opened = hostile.context().waitForEvent('page');
      const url = JSON.stringify(service.server.url + path);
      await hostile.evaluate(`void (globalThis.opened = window.open(${url}))`);
      const window = await opened;
      await window.waitForLoadState();
      const read = await hostile.evaluate(
        `(() => { try { return opened.document.body.innerText; } catch { return ''; } })()`,
      );
      expect([path, read]).toEqual([path, '']);
      await window.close();
      await hostile.goto(service.server.url + path, { referer: stranger.at(host) }).catch(() => {});
    }
    expect(await stranger.state()).toEqual(before);
  });

  it('does nothing by a form that leads the victim away', async () => {
    const before = await stranger.state();
    // Pairwise: every path from every page, every path with every form, and every form from every page.
    for (const [at, path] of PATHS.entries()) {
      await hostile.goto(stranger.at(host));
      await hostile.setContent(
        `<form method="POST" enctype="${FORMS[(at + row) % FORMS.length]}" action="${service.server.url}${path}"><input name='{"name":"public:app.forged","x":"' value='"}'></form>`,
      );
      const away = hostile.waitForNavigation();
      await hostile.evaluate('document.forms[0].submit()');
      expect([path, (await away)?.status()]).toEqual([path, expect.toBeOneOf([401, 403, 404, 405, 415])]);
    }
    expect(await stranger.state()).toEqual(before);
  });
});

it('the console is shown in no frame, not even of its own origin', async () => {
  await hostile.goto(`${service.server.url}/healthz`);
  await hostile.evaluate(
    `(() => { const frame = document.createElement('iframe'); frame.src = '/console/'; document.body.append(frame); })()`,
  );
  await visit.until('the frame', async () =>
    hostile.frames().some(frame => frame.url().startsWith('chrome-error:')),
  );
});

describe('a proxy that sets Host to a name of this machine', () => {
  async function rewriting(target: string): Promise<Server> {
    const { hostname, port, host } = new URL(target);
    const proxy = createServer((incoming: IncomingMessage, outgoing) => {
      const { method, url: path } = incoming;
      const onward = request({ hostname, port, method, path, headers: { ...incoming.headers, host } });
      onward.on('response', answer => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    });
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  it('lets nobody sign in: the page says what the server misses', async () => {
    const proxy = await rewriting(service.server.url);
    const through = await Visit.start(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    try {
      await through.open('');
      await through.page.locator('#token').fill(service.server.token);
      await through.page.keyboard.press('Enter');
      await through.sees('console.origin');
      expect(await through.page.context().cookies()).toEqual([]);
    } finally {
      await through.stop();
      await closeServer(proxy);
    }
  });
});

describe('the text of a token', () => {
  it('is in no memory of the page, storage, address, log or record after signing in', async () => {
    const token = await service.tokenOf('operator');
    const secret = token.slice(-60);
    const reader = await Visit.start(service.server.url);
    try {
      await reader.signIn(token);
      await reader.open('channels');
      await reader.sees('No channel yet');
      const session = await reader.page.context().newCDPSession(reader.page);
      await session.send('HeapProfiler.enable');
      await session.send('HeapProfiler.collectGarbage');
      let heap = '';
      session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => {
        heap += chunk;
      });
      await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
      // The snapshot is one: it has the texts of the page.
      expect(heap).toContain('No channel yet');
      expect(heap).not.toContain(secret);
      const kept = await reader.page.evaluate(
        'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, location.href, history.state, document.documentElement.outerHTML])',
      );
      expect(kept).not.toContain(secret);
      const [cookie] = await reader.page.context().cookies();
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
      expect(cookie?.value).not.toContain(secret);
      const { records } = await service.rpc.call('AuditList', { limit: 500 });
      expect(JSON.stringify(records)).not.toContain(secret);
      const { stdout, stderr } = service.server.output();
      expect(stdout + stderr).not.toContain(secret);
    } finally {
      await reader.stop();
    }
  });
});
