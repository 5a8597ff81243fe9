import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Browser, eventually, HostileProxy } from '@msg/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canonicalText } from '#src/document/canonical.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { PATIENT_MS } from '../store/stores.ts';
import { ask, Serving } from './serving.ts';

const id = 'team-pulse';
const LIMIT_MS = 30_000;
const REBOUND = 'rebound.example';

let root: string;
let file: string;
let serving: Serving;
let browser: Browser;
/** A web site that somebody else runs; whatever is not its own page it hands to the server, names untouched. */
let site: HostileProxy;
let tap: Tap;
/** Where the tap listens. */
let tapped: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'dash-http-'));
  file = join(root, `${id}.json`);
  await writeFile(file, canonicalText(teamPulse()));
  [serving, browser] = await Promise.all([
    Serving.start([id, '--root', root]),
    Browser.start([`--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`]),
  ]);
  const script = join(root, 'script.js');
  await writeFile(script, '');
  site = await HostileProxy.start(serving.url, script);
  tap = new Tap();
  tapped = await tap.start();
}, PATIENT_MS);

afterAll(async () => {
  await browser.stop();
  await Promise.all([site.stop(), tap.stop()]);
  await serving.stop();
  await rm(root, { recursive: true, force: true });
}, PATIENT_MS);

const commit = (title: string) =>
  JSON.stringify({ id, ops: [{ op: 'replace', path: '/$manifest/title', value: title }] });

const title = async (): Promise<string> =>
  (JSON.parse(await readFile(file, 'utf8')) as { manifest: { title: string } }).manifest.title;

type Page = Awaited<ReturnType<Browser['page']>>;

async function tab(url: string): Promise<Page> {
  const page = await browser.page();
  await page.goto(url);
  return page;
}

/** A wire tap in front of the server: what was posted through it, since browsers hide such answers. */
class Tap {
  readonly posted: { origin: string | undefined; status: number }[] = [];
  readonly #server = createServer(async (incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const body = await buffer(incoming);
    const sent = headers as Record<string, string>;
    const answer = await ask(`${serving.url}${url}`, { method, headers: sent, body });
    if (method === 'POST') this.posted.push({ origin: sent['origin'], status: answer.status });
    outgoing.writeHead(answer.status, answer.headers).end(answer.text);
  });

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }
}

/** The status of a request that a script of the page makes; `blocked` where the browser hides it. */
const fetchFrom = (page: Page, url: string, init: object = {}): Promise<number | 'blocked'> =>
  page.evaluate(
    ([target, options]) =>
      fetch(target, options as RequestInit).then(
        ({ status }) => status,
        () => 'blocked' as const,
      ),
    [url, init] as const,
  );

test('the page shown loads its own style sheet and script and nothing from another place', async () => {
  const page = await tab(serving.url);
  expect(await page.textContent('main')).toContain('last 4 weeks');
  expect(await page.evaluate('document.styleSheets.length')).toBe(2);
  expect(await page.evaluate('document.documentElement.className')).toBe('js');
  expect(await fetchFrom(page, '/healthz')).toBe(200);
  expect(await fetchFrom(page, `http://${site.host}/page`)).toBe('blocked');
  await page.close();
});

test(
  'a name that was rebound to this machine can neither write nor read; the own name can',
  async () => {
    const before = await title();
    const { port } = new URL(`http://${site.host}`);
    // The page came from elsewhere, and what it asks for now reaches the server: all of it is one origin.
    const rebound = await tab(`http://${REBOUND}:${port}/page`);
    expect(await fetchFrom(rebound, '/api/patch', { method: 'POST', body: commit('Stolen') })).toBe(403);
    expect(await fetchFrom(rebound, '/api/validate', { method: 'POST', body: commit('Stolen') })).toBe(403);
    expect(await fetchFrom(rebound, '/api/tree')).toBe(403);
    expect(await title()).toBe(before);
    await rebound.close();
    const own = await tab(`http://localhost:${port}/page`);
    expect(await fetchFrom(own, '/api/patch', { method: 'POST', body: commit('Own') })).toBe(200);
    expect(await title()).toBe('Own');
    await own.close();
  },
  LIMIT_MS,
);

test(
  'a page of another origin cannot write, whatever way it tries',
  async () => {
    const before = await title();
    const page = await tab(`http://${site.host}/page`);
    const url = `${tapped}/api/patch`;
    tap.posted.length = 0;
    const body = commit('Stolen');
    // Without a preflight the request arrives; with one nothing grants it.
    await fetchFrom(page, url, { method: 'POST', mode: 'no-cors', body });
    await eventually('the refusal', () => tap.posted.length === 1, LIMIT_MS);
    const json = { 'content-type': 'application/json' };
    expect(await fetchFrom(page, url, { method: 'POST', headers: json, body })).toBe('blocked');
    // A form whose one field spells JSON.
    const name = `${body.slice(0, -1)},"message":"`;
    await page.evaluate(`
    const form = Object.assign(document.createElement('form'), {
      method: 'POST', enctype: 'text/plain', action: ${JSON.stringify(url)},
    });
    form.append(Object.assign(document.createElement('input'), { name: ${JSON.stringify(name)}, value: '"}' }));
    document.body.append(form);
    form.submit();
  `);
    await eventually('the refusal of the form', () => tap.posted.length === 2, LIMIT_MS);
    // A page that is closed while it goes elsewhere may never say that it is closed.
    await page.waitForURL(url);
    const refused = { origin: `http://${site.host}`, status: 403 };
    expect(tap.posted).toEqual([refused, refused]);
    expect(await title()).toBe(before);
    await page.close();
  },
  LIMIT_MS,
);

test(
  'a page without an origin cannot write',
  async () => {
    const before = await title();
    tap.posted.length = 0;
    const page = await tab(`http://${site.host}/page`);
    const request = `fetch(${JSON.stringify(`${tapped}/api/patch`)}, {method: 'POST', mode: 'no-cors', body: ${JSON.stringify(commit('Stolen'))}})`;
    await page.evaluate(`
    const frame = document.createElement('iframe');
    frame.sandbox.add('allow-scripts');
    frame.srcdoc = ${JSON.stringify(`<script>${request}</scr`)} + 'ipt>';
    document.body.append(frame);
  `);
    await eventually('the refusal', () => tap.posted.length === 1, LIMIT_MS);
    expect(tap.posted).toEqual([{ origin: 'null', status: 403 }]);
    expect(await title()).toBe(before);
    await page.close();
  },
  LIMIT_MS,
);
