import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalText } from '#src/document/canonical.ts';
import type { JsonObject } from '#src/document/json.ts';
import { FILE_COLOURS } from '#src/render/still/colours.ts';
import { fullDashdoc as dashdoc } from '../cli/console.ts';
import { example, exampleNames } from '../resolve/golden.ts';
import { temporaryRoots } from '../store/stores.ts';

const root = temporaryRoots();

async function rendered(document: JsonObject, flags: readonly string[] = [], kind = 'svg') {
  const folder = await root();
  const { id } = document['manifest'] as { id: string };
  await writeFile(join(folder, `${id}.json`), canonicalText(document));
  const out = join(folder, `out.${kind}`);
  const outcome = await dashdoc(['render', id, '--root', folder, '--out', out, '--json', ...flags]);
  return { ...outcome, out, bytes: outcome.status === 0 ? await readFile(out) : Buffer.alloc(0) };
}

const textOf = (svg: string): string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(match => match[1] ?? '');

/** A dashboard with one block for each of these items. */
const pageOf = (...items: JsonObject[]): JsonObject => ({
  manifest: { formatVersion: '1.0.0', id: 'page', title: 'A <page> & more' },
  variables: [{ name: 'team', type: 'string', default: 'core' }],
  root: {
    id: 'root',
    type: 'container',
    children: [
      {
        id: 'body',
        type: 'container',
        config: { grid: { columns: [1, 1], gap: 1 } },
        children: items.map((item, at) => ({
          id: `block-${at}`,
          type: 'block',
          config: { content: { id: `item-${at}`, ...item } },
        })),
      },
    ],
  },
});

describe.each(exampleNames)('the picture of %s', name => {
  it('has equal bytes each time, literal colours, and every title of the document', async () => {
    const [first, second] = [await rendered(example(name)), await rendered(example(name))];
    expect(first.status).toBe(0);
    const svg = String(first.bytes);
    expect(svg).toBe(String(second.bytes));
    expect(svg).not.toMatch(/var\(|NaN|undefined|<script|style=/);
    expect(textOf(svg).join(' ')).toContain(
      String((example(name)['manifest'] as JsonObject)['title'] ?? name),
    );
  });
});

describe('a picture', () => {
  it('shows 20 rows of a table, a figure with its unit, a control with its value, and text of markdown', async () => {
    const rows = Array.from({ length: 23 }, (_, at) => [`row ${at + 1}`, at]);
    const { bytes } = await rendered(
      pageOf(
        { type: 'table', config: { columns: [{ header: 'Name' }, { header: 'Count' }], rows } },
        { type: 'metric', config: { title: 'Share', value: 0.5, format: 'percent', unit: 'of all' } },
        { type: 'text-input', config: { variable: 'team', label: 'Team' } },
        { type: 'markdown', config: { source: '# Head\n\n- one **two** & `three`' } },
      ),
    );
    const texts = textOf(String(bytes));
    expect(texts).toEqual(
      expect.arrayContaining([
        'A &lt;page&gt; &amp; more',
        'row 20',
        '3 more',
        '50%',
        'of all',
        'Team: core',
        'Head',
        '• one two &amp; three',
      ]),
    );
    expect(texts).not.toContain('row 21');
  });

  it('has a frame with the address in the place of a picture of elsewhere', async () => {
    const { bytes } = await rendered(
      pageOf({ type: 'image', config: { src: 'https://elsewhere.example/a.png', alt: 'A mark' } }),
    );
    expect(String(bytes)).not.toContain('<image');
    expect(textOf(String(bytes))).toEqual(
      expect.arrayContaining(['A mark', 'https://elsewhere.example/a.png']),
    );
  });

  it('holds text of a document as text', async () => {
    const hostile = '</text><script>alert(1)</script>\u202e"';
    const { bytes } = await rendered(pageOf({ type: 'heading', config: { text: hostile, level: 2 } }));
    expect(String(bytes)).not.toContain('<script');
    expect(String(bytes)).not.toContain('\u202e');
  });

  it('is of one node, of a width, and of a scheme', async () => {
    const document = pageOf(
      { type: 'heading', config: { text: 'First', level: 2 } },
      { type: 'heading', config: { text: 'Second', level: 2 } },
    );
    const { bytes } = await rendered(document, ['--node', 'block-1', '--width', '400', '--theme', 'dark']);
    expect(textOf(String(bytes))).toEqual(['Second']);
    expect(String(bytes)).toMatch(/^<svg [^>]*width="400"/);
    expect(String(bytes)).toContain(FILE_COLOURS['--canvas']?.[1]);
  });

  it('shows an item that may not be asked with its code, and standard error names the flag', async () => {
    const document = {
      ...pageOf({ type: 'table', config: { connectionId: 'there' } }),
      connections: [{ id: 'there', type: 'http', config: { url: 'http://127.0.0.1:9/rows' } }],
    };
    const { status, stderr, bytes } = await rendered(document);
    expect(status).toBe(0);
    expect(stderr).toContain('--allow-query http://127.0.0.1:9');
    expect(textOf(String(bytes))).toContain('QUERY_HOST_FORBIDDEN');
  });

  it.each([
    ['another kind of file', ['--out', 'x.gif'], 2, 'CLI_INVALID'],
    ['a width that is too small', ['--width', '10'], 2, 'CLI_INVALID'],
    ['a node that is not there', ['--node', 'ghost'], 1, 'CHANGESET_TARGET_NOT_FOUND'],
  ])('is refused for %s', async (_, flags, status, code) => {
    const refused = await rendered(example('first-steps'), flags);
    expect(refused.status).toBe(status);
    expect(JSON.parse(refused.stderr)).toMatchObject({ code });
  });

  it('has the colours of the design', async () => {
    const tokens = await readFile(new URL('../../src/web/styles/tokens.css', import.meta.url), 'utf8');
    for (const [property, [light, dark]] of Object.entries(FILE_COLOURS))
      expect(tokens).toContain(`${property}: light-dark(${light}, ${dark});`);
  });
});

describe('a picture as PNG', () => {
  it('is drawn with its text, and needs a font', async () => {
    const document = pageOf({ type: 'heading', config: { text: 'First', level: 2 } });
    const { status, bytes } = await rendered(document, ['--width', '400'], 'png');
    expect(status).toBe(0);
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(bytes.readUInt32BE(16)).toBe(400);
    const refused = await rendered(document, ['--font', '/nowhere/font.ttf'], 'png');
    expect(JSON.parse(refused.stderr)).toMatchObject({
      code: 'RENDER_UNAVAILABLE',
      details: { reason: 'font' },
    });
  });
});
