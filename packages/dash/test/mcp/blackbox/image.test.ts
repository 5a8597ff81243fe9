import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalText } from '#src/document/canonical.ts';
import { golden } from '../../changeset/golden-changesets.ts';
import { BINARY, RawHost } from '../host.ts';

/** A module that a process starts with, for which no optional peer is installed. */
const WITHOUT_PEERS = fileURLToPath(new URL('../../data/without-peers.mjs', import.meta.url));
const UNAVAILABLE = {
  code: 'RENDER_UNAVAILABLE',
  message: expect.stringContaining('npm install @resvg/resvg-js'),
  details: { reason: 'peer', install: 'npm install @resvg/resvg-js' },
};
/** A process starts, and draws in a thread of its own. */
const PATIENT_MS = 120_000;
const CALL = {
  id: 'golden',
  ops: [{ op: 'replace', path: '/latency-block/config/title', value: 'p95' }],
  image: true,
  preview: 'none',
};

let root: string;
const options = process.env['NODE_OPTIONS'];
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'dash-image-'));
  await writeFile(join(root, 'golden.json'), canonicalText(golden()));
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

function withoutPeers<T>(run: () => T): T {
  process.env['NODE_OPTIONS'] = `--import=${WITHOUT_PEERS}`;
  try {
    return run();
  } finally {
    if (options === undefined) delete process.env['NODE_OPTIONS'];
    else process.env['NODE_OPTIONS'] = options;
  }
}

const render = (out: string) =>
  spawnSync(process.execPath, [BINARY, 'render', 'golden', '--root', root, '--out', out, '--json'], {
    encoding: 'utf8',
  });

async function validated(host: RawHost) {
  await host.initialize();
  const answer = await host.tool('dash_validate_patch', CALL);
  await host.hangUp();
  return answer;
}

describe('with the optional peer', { timeout: PATIENT_MS }, () => {
  it('the tool server answers a picture behind the text, of which the text holds nothing', async () => {
    const { content, structuredContent } = await validated(new RawHost(['--root', root]));
    expect(content.map(({ type }) => type)).toEqual(['text', 'image']);
    expect(content[1]).toMatchObject({ mimeType: 'image/png', data: expect.stringMatching(/^iVBORw0KGgo/) });
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent);
    expect(structuredContent).toMatchObject({ ok: true, image: { items: ['latency-block'] } });
  });
});

describe('without the optional peer', { timeout: PATIENT_MS }, () => {
  it('the tool server answers everything but the picture, and names the command that installs it', async () => {
    const { content, structuredContent, isError } = await validated(
      withoutPeers(() => new RawHost(['--root', root])),
    );
    expect(isError).not.toBe(true);
    expect(content).toHaveLength(1);
    expect(structuredContent).toMatchObject({ ok: true, image: { error: UNAVAILABLE } });
  });

  it('dashdoc render refuses a PNG with the command that installs it, and writes an SVG', async () => {
    const [png, svg] = [join(root, 'out.png'), join(root, 'out.svg')];
    const refused = withoutPeers(() => render(png));
    expect([refused.status, JSON.parse(refused.stderr)]).toEqual([1, UNAVAILABLE]);
    expect(existsSync(png)).toBe(false);
    expect(withoutPeers(() => render(svg)).status).toBe(0);
    expect(await readFile(svg, 'utf8')).toContain('<svg');
    expect(render(png).status).toBe(0);
  });
});
