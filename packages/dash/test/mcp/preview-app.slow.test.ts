import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Browser, eventually } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalText } from '#src/document/canonical.ts';
import type { Json, JsonObject } from '#src/document/json.ts';
import { golden } from '../changeset/golden-changesets.ts';
import { hostileTexts } from '../web/every-state.ts';
import { PATIENT_MS } from '../web/reviewing.ts';
import { AppHost } from './app-host.ts';
import { BINARY } from './host.ts';

const REVIEW_URL = 'http://127.0.0.1:9';
const ops = [
  { op: 'replace', path: '/latency-block/config/title', value: 'p95 latency' },
  { op: 'replace', path: '/latency/config/kind', value: 'bar' },
  { op: 'move', from: '/errors-block', path: '/side/children/-' },
  { op: 'remove', path: '/note-block' },
];
const CALL = { id: 'golden', ops, preview: 'none', review: true, note: 'Asked for by Mara' };

let root: string;
let browser: Browser;
let client: Client;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'dash-app-'));
  for (const document of [golden(), hostileTexts()]) {
    const { id } = document['manifest'] as { id: string };
    await writeFile(join(root, `${id}.json`), canonicalText(document));
  }
  browser = await Browser.start();
  client = new Client({ name: 'host', version: '1' });
  const args = [BINARY, 'mcp', '--root', root, '--preview', 'changed', '--review-url', REVIEW_URL];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
}, PATIENT_MS);

afterAll(async () => {
  await client.close();
  await browser.stop();
  await rm(root, { recursive: true });
});

const SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
const TALL = 'Math.ceil(document.documentElement.getBoundingClientRect().height)';
const FACTS = `(() => {
  const count = selector => document.querySelectorAll(selector).length;
  return {
    scripts: count('body :is(script, style, link, iframe, object, embed, meta, base)'),
    pictures: count('img'),
    bold: count('.prose b'),
    addresses: count(':is([href], [src], [action], [formaction], [style])'),
    handlers: [...document.querySelectorAll('*')].filter(({ attributes }) =>
      [...attributes].some(({ name }) => name.startsWith('on'))).length,
  };
})()`;
const ADDED = `({
  side: document.querySelector('.side.after').innerHTML.replace(/^<figcaption.*?<\\/figcaption>/, ''),
  rules: document.adoptedStyleSheets.flatMap(sheet => [...sheet.cssRules].map(({ cssText }) => cssText.replace(/\\s+/g, ' '))),
})`;
/** Of a picture: whether it was read, and its width. */
const PICTURE = `(() => {
  const picture = document.querySelector('figure > img');
  return picture.decode().then(() => [picture.complete, picture.naturalWidth]);
})()`;
const LEFT = '[document.body.childNodes.length, document.adoptedStyleSheets.length]';
const NEXT_FRAMES = 'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))';

const status = (host: AppHost) => host.app.getByRole('status');

describe('the app in the official bridge', () => {
  it.each([
    { width: 1280, dark: false },
    { width: 390, dark: true },
  ])(
    'shows words, then both sides of each item, at %j, and asks no address',
    async look => {
      const host = await AppHost.open(browser, client, look);
      await host.called(client, CALL);
      const { app } = host;
      await app.locator('article[data-item=errors-block]').waitFor();
      expect(await app.locator('article').count()).toBe(3);
      expect(await app.locator('.words').innerText()).toContain('Renamed “Latency” to “p95 latency”');
      expect(await app.locator('.words del').allInnerTexts()).toContain('Latency');
      expect(await app.locator('article[data-item=latency-block] .side svg').count()).toBeGreaterThanOrEqual(
        2,
      );
      expect(await app.locator('article .wf').count()).toBe(4);
      expect(await app.locator('article[data-item=note-block] .ghost').innerText()).toBe(
        'Not there any more',
      );
      expect(await app.getByText('“Asked for by Mara”').count()).toBe(1);
      const canvas = look.dark ? 'rgb(17, 18, 16)' : 'rgb(247, 247, 245)';
      expect(await app.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe(canvas);
      expect(await app.evaluate(SIDEWAYS)).toBe(0);
      expect(await host.axeViolations()).toEqual([]);
      await eventually('the host knows the size', async () => {
        const { width, height } = (await host.heard()).sizes.at(-1) ?? {};
        return width === look.width && height === (await app.evaluate(TALL));
      });
      expect(host.asked.filter(address => !address.startsWith('about:'))).toEqual([]);
      expect(host.complaints).toEqual([]);
      await host.close();
    },
    PATIENT_MS,
  );

  it(
    'follows the theme of the host while it is shown',
    async () => {
      const host = await AppHost.open(browser, client, { dark: true });
      await host.called(client, CALL);
      await host.bridge('setHostContext', { theme: 'light' });
      await host.app.locator('html[data-theme=light]').waitFor();
      await host.close();
    },
    PATIENT_MS,
  );

  it(
    'opens the review of the answer, and asks for a link where the answer has none',
    async () => {
      const host = await AppHost.open(browser, client);
      await host.called(client, CALL);
      await host.app.getByRole('button', { name: 'Open review' }).click();
      await eventually('the host opens it', async () => (await host.heard()).opened.length === 1);
      const { review: _, note: __, ...bare } = CALL;
      await host.called(client, bare);
      await host.app.getByRole('button', { name: 'Open review' }).click();
      await eventually('the host opens it', async () => (await host.heard()).opened.length === 2);
      for (const url of (await host.heard()).opened)
        expect(url).toMatch(/^http:\/\/127\.0\.0\.1:9\/review#v1\./);
      await host.refuse();
      await host.app.getByRole('button', { name: 'Open review' }).click();
      await status(host).getByText('The host does not open it: http').waitFor();
      await host.close();
    },
    PATIENT_MS,
  );

  it(
    'asks for a change in the person’s name, with the items that they ticked, and has no button to commit',
    async () => {
      const host = await AppHost.open(browser, client);
      await host.called(client, CALL);
      const { app } = host;
      await app.locator('article[data-item=errors-block]').getByRole('checkbox').check();
      await app.getByRole('textbox', { name: 'What is to be changed' }).fill('Leave the table where it is');
      await app.getByRole('button', { name: 'Ask', exact: true }).click();
      await status(host).getByText('Asked for a change.').waitFor();
      const [message] = (await host.heard()).messages;
      expect(message?.role).toBe('user');
      expect(message?.content[0]?.text.split('\n')).toEqual([
        expect.stringMatching(/^Please change the proposed changeset for dashboard "golden" \(base \w+\)\.$/),
        'Leave the table where it is',
        'It is about:',
        '- /errors-block (moved)',
      ]);
      expect(await app.getByRole('button').allInnerTexts()).not.toContainEqual(
        expect.stringMatching(/commit/i),
      );
      await host.refuse();
      await app.getByRole('button', { name: 'Ask for a change…' }).click();
      await app.getByRole('textbox').fill('Once more');
      await app.getByRole('button', { name: 'Ask', exact: true }).click();
      await status(host).getByText('your words are still here').waitFor();
      expect(await app.getByRole('textbox').inputValue()).toBe('Once more');
      await host.close();
    },
    PATIENT_MS,
  );

  it(
    'shows words and the result where the host calls no tools for it, and no button that it cannot serve',
    async () => {
      const host = await AppHost.open(browser, client, { capabilities: {} });
      await host.called(client, CALL);
      const { app } = host;
      await app.locator('.words').waitFor();
      expect(await app.locator('.words li').allInnerTexts()).toEqual([
        expect.stringContaining('Removed “Note of \u0024{env}”'),
        expect.stringContaining('Changed config.title of “p95 latency”: Latency → p95 latency'),
        expect.stringContaining('Changed config.kind of “latency”: line → bar'),
        expect.stringContaining('Moved “Errors”: body[1] → side[0]'),
      ]);
      expect(await app.locator('article').count()).toBe(0);
      expect(await app.getByRole('button').count()).toBe(0);
      expect(await app.locator('code').innerText()).toContain(`${REVIEW_URL}/review#v1.`);
      await host.close();
    },
    PATIENT_MS,
  );

  it(
    'shows the picture of the answer where it cannot ask for drawings, and the drawings where it can',
    async () => {
      const pictured = { ...CALL, image: true };
      const host = await AppHost.open(browser, client, { capabilities: {}, width: 390 });
      await host.called(client, pictured);
      const picture = host.app.getByRole('img', { name: 'The changed items, as they are after the change' });
      await picture.waitFor();
      expect(await host.app.evaluate(PICTURE)).toEqual([true, 900]);
      expect(await host.app.evaluate(SIDEWAYS)).toBe(0);
      expect(await host.axeViolations()).toEqual([]);
      expect(host.asked.filter(address => !/^(?:about|data):/.test(address))).toEqual([]);
      expect(host.complaints).toEqual([]);
      await host.close();
      const drawing = await AppHost.open(browser, client);
      await drawing.called(client, pictured);
      await drawing.app.locator('article[data-item=latency-block]').waitFor();
      expect(await drawing.app.locator('img').count()).toBe(0);
      await drawing.close();
    },
    PATIENT_MS,
  );

  it.each(['text', 'structuredContent'])(
    'reads a result of which the host kept only %s',
    async kept => {
      const host = await AppHost.open(browser, client, { capabilities: {} });
      const { content, structuredContent } = await client.callTool({
        name: 'dash_validate_patch',
        arguments: CALL,
      });
      await host.told(CALL, kept === 'text' ? { content } : { content: [], structuredContent });
      await host.app.getByText('Moved “Errors”').waitFor();
      await host.close();
    },
    PATIENT_MS,
  );

  it(
    'says why a changeset does not work, that a call was cancelled, and that an answer cannot be shown',
    async () => {
      const host = await AppHost.open(browser, client);
      await host.called(client, { id: 'golden', ops: [{ op: 'remove', path: '/nobody' }] });
      await host.app.getByText('CHANGESET_TARGET_NOT_FOUND').waitFor();
      expect(await host.app.getByRole('button', { name: 'Open review' }).count()).toBe(0);
      await host.bridge('sendToolCancelled', { reason: 'user action' });
      await status(host).getByText('The call was cancelled.').waitFor();
      await host.told(undefined, { content: [{ type: 'text', text: 'no JSON' }] });
      await status(host).getByText('nothing that this page can show').waitFor();
      await host.close();
    },
    PATIENT_MS,
  );

  it(
    'leaves nothing after the teardown: no element, no rule, no word to the host',
    async () => {
      const host = await AppHost.open(browser, client);
      await host.called(client, CALL);
      await host.app.locator('article').first().waitFor();
      expect(await host.bridge('teardownResource', {})).toEqual({});
      expect(await host.app.evaluate(LEFT)).toEqual([0, 0]);
      const { sizes } = await host.heard();
      await host.bridge('sendToolResult', { content: [], structuredContent: { ok: true, changes: [] } });
      await host.page.setViewportSize({ width: 500, height: 500 });
      await host.app.evaluate(NEXT_FRAMES);
      expect((await host.heard()).sizes).toEqual(sizes);
      expect(await host.app.evaluate(LEFT)).toEqual([0, 0]);
      await host.close();
    },
    PATIENT_MS,
  );
});

describe('hostile texts', () => {
  const hostile = '</script><img src=x onerror=alert(1)> javascript:alert(1) \u202Egpj.exe "onload=1';
  const block = (id: string, content: JsonObject): Json => ({
    id: `${id}-block`,
    type: 'block',
    config: { title: hostile, content: { id, ...content } },
  });
  const source =
    '![a](http://127.0.0.1:9/x.png) <b>bold</b> [c](javascript:alert(1)) <script>alert(1)</script>';

  it(
    'add no element, load nothing and run nothing',
    async () => {
      const host = await AppHost.open(browser, client);
      const config = { src: 'http://127.0.0.1:9/p.png', alt: hostile };
      await host.called(client, {
        id: 'hostile',
        preview: 'none',
        ops: [
          { op: 'replace', path: '/$manifest/title', value: hostile + hostile },
          { op: 'replace', path: '/table-block/config/title', value: `x${hostile}` },
          { op: 'replace', path: '/heading/config/text', value: `y${hostile}` },
          { op: 'add', path: '/body/children/-', value: block('far', { type: 'image', config }) },
          {
            op: 'add',
            path: '/body/children/-',
            value: block('words2', { type: 'markdown', config: { source } }),
          },
        ],
      });
      await host.app.locator('article[data-item=words2-block]').waitFor();
      expect(await host.app.evaluate(FACTS)).toEqual({
        scripts: 0,
        pictures: 0,
        bold: 0,
        addresses: 0,
        handlers: 0,
      });
      expect(host.asked.filter(address => !address.startsWith('about:'))).toEqual([]);
      expect(host.complaints).toEqual([]);
      await host.close();
    },
    PATIENT_MS,
  );

  it(
    'of a fragment that no server of ours made are left out, too',
    async () => {
      const host = await AppHost.open(browser, client, { capabilities: {} });
      const after = [
        '<script>parent.postMessage("x", "*")</script><style>*{display:none}</style><link rel=stylesheet href=//127.0.0.1:9/>',
        '<img src="http://127.0.0.1:9/a.png" onerror="alert(1)"><img src="data:image/png;base64,AA==" alt="own">',
        '<svg onload="alert(1)"><use href="#x"/><foreignObject><b>x</b></foreignObject><path d="M0 0" fill="url(http://127.0.0.1:9/)"/></svg>',
        '<a href="javascript:alert(1)" style="color:red" onclick="alert(1)">go</a><iframe srcdoc="x"></iframe>',
        '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>',
      ].join('');
      const rules = [
        '.xa1{grid-template-columns:minmax(0,1fr) 2fr}',
        'body{display:none}',
        '@import "http://127.0.0.1:9/a.css";',
        '.xa2{background:url(http://127.0.0.1:9/b.png)}',
        '@font-face{font-family:x;src:url(http://127.0.0.1:9/c.woff)}',
        '@container page (min-width:45rem){.xa3{grid-area:1/2/span 1/span 1}.xa4{position:fixed}}',
      ].join('');
      const item = {
        nodeId: 'a',
        name: hostile,
        kind: 'changed',
        about: hostile,
        marks: [],
        before: '',
        after,
      };
      const structuredContent = { ok: true, counts: hostile, words: [], rendered: [item], rules };
      await host.told(undefined, { content: [], structuredContent });
      await host.app.locator('article').waitFor();
      const facts = (await host.app.evaluate(ADDED)) as { side: string; rules: string[] };
      expect(facts.side).toBe(
        '<img><img src="data:image/png;base64,AA==" alt="own"><svg><path d="M0 0"></path></svg><a>go</a>',
      );
      expect(facts.rules).toEqual([
        '.xa1 { grid-template-columns: minmax(0px, 1fr) 2fr; }',
        expect.stringMatching(
          /^@container page \(min-width: 45rem\) \{ \.xa3 \{ grid-area: 1 \/ 2 \/ span 1 \/ span 1; \} \}$/,
        ),
      ]);
      expect(await host.app.locator('body').isVisible()).toBe(true);
      expect(host.asked.filter(address => !address.startsWith('about:'))).toEqual([]);
      await host.close();
    },
    PATIENT_MS,
  );
});
