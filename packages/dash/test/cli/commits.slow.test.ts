import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processIo, runProgram } from '@msg/command-line';
import { describe, expect, it } from 'vitest';
import { DASHDOC } from '#src/cli/program.ts';
import { canonicalText } from '#src/document/canonical.ts';
import type { JsonObject } from '#src/document/json.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { git, KINDS, PATIENT_MS, temporaryRoots } from '../store/stores.ts';

const root = temporaryRoots();
const retitle = (value: string) => [{ op: 'replace', path: '/$manifest/title', value }];

interface Answer {
  readonly status: number;
  /** What was printed as JSON, or the error's envelope. */
  readonly body: JsonObject;
}

/** The command line with the engine that the binary uses. */
async function dashdoc(words: readonly string[], stdin: unknown): Promise<Answer> {
  const told = { stdout: '', stderr: '' };
  const status = await runProgram(DASHDOC, ['--json', ...words], {
    ...processIo(),
    terminal: { out: false, err: false, columns: undefined },
    readStdin: async () => new TextEncoder().encode(JSON.stringify(stdin)),
    out: text => {
      told.stdout += text;
    },
    err: text => {
      told.stderr += text;
    },
    openEngine: openDocumentEngine,
  });
  return { status, body: JSON.parse(status === 0 ? told.stdout : told.stderr) as JsonObject };
}

/** A document, stored and committed as it stands, with the commands that change it. */
async function stored(kind: string, change: (document: JsonObject) => void = () => {}, id = 'page') {
  const directory = await root();
  const document = teamPulse();
  (document['manifest'] as JsonObject)['id'] = id;
  change(document);
  const path = join(directory, `${id}.json`);
  await writeFile(path, canonicalText(document));
  if (kind === 'git') {
    git(directory, 'init', '--quiet');
    git(directory, 'add', '--', `:(literal)${id}.json`);
    git(directory, 'commit', '--quiet', '-m', `Add ${id}`);
  }
  const flags = ['--store', kind, '--root', directory];
  const commits = (): string => (kind === 'git' ? git(directory, 'rev-list', '--count', 'HEAD') : '');
  return {
    id,
    directory,
    path,
    commits,
    bytes: () => readFile(path, 'utf8'),
    document: async () => JSON.parse(await readFile(path, 'utf8')) as JsonObject,
    commit: (ops: unknown, ...more: string[]) =>
      dashdoc(['patch', ...flags, ...more, '--changeset', '-', '--', id], ops),
    preview: (ops: unknown) => dashdoc(['patch', id, '--dry-run', '--changeset', '-', ...flags], ops),
  };
}

const children = (document: JsonObject) => (document['root'] as { children: JsonObject[] }).children;

describe.each(KINDS)('dashdoc patch on the %s store', kind => {
  it('P1, P2: a revision is taken once, and what is stored resolves to the preview', async () => {
    const page = await stored(kind);
    const { body: preview } = await page.preview(retitle('Weekly'));
    const first = await page.commit(retitle('Weekly'));
    expect(first).toMatchObject({ status: 0, body: { id: 'page', revision: expect.any(String) } });
    expect((await page.preview([])).body).toEqual(preview);
    const revision = String(first.body['revision']);
    expect((await page.commit(retitle('Monthly'), '--expect-revision', revision)).status).toBe(0);
    const before = await page.bytes();
    const late = await page.commit(retitle('Late'), '--expect-revision', revision);
    expect(late).toMatchObject({
      status: 1,
      body: { code: 'CHANGESET_REVISION_CONFLICT', details: { expected: revision } },
    });
    expect(await page.bytes()).toBe(before);
  });

  it(
    'P3, P4: of twenty onto one revision one is taken; without a revision all are',
    async () => {
      const page = await stored(kind);
      const revision = String((await page.commit(retitle('Base'))).body['revision']);
      const onto = await Promise.all(
        Array.from({ length: 20 }, (_, n) => page.commit(retitle(`T${n}`), '--expect-revision', revision)),
      );
      expect(onto.filter(({ status }) => status === 0)).toHaveLength(1);
      const before = Number(page.commits());
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          page.commit([
            { op: 'add', path: '/$variables/-', value: { name: `v${n}`, type: 'integer', default: n } },
          ]),
        ),
      );
      expect(all.map(({ status }) => status)).toEqual(Array(20).fill(0));
      const names = ((await page.document())['variables'] as { name: string }[]).map(({ name }) => name);
      for (let n = 0; n < 20; n++) expect(names).toContain(`v${n}`);
      if (kind === 'git') expect(Number(page.commits())).toBe(before + 20);
    },
    PATIENT_MS,
  );

  it('P5: what changes nothing writes nothing', async () => {
    const page = await stored(kind);
    const cramped = JSON.stringify(await page.document());
    await writeFile(page.path, cramped);
    const commits = page.commits();
    for (const ops of [[], retitle('Team pulse')]) expect((await page.commit(ops)).status).toBe(0);
    expect([await page.bytes(), page.commits()]).toEqual([cramped, commits]);
  });

  it('P9, P13, P14, P15: what is refused names why and changes nothing', async () => {
    const page = await stored(kind);
    const before = [await page.bytes(), page.commits()];
    const block = {
      id: 'b',
      type: 'block',
      config: { content: { id: 'note', type: 'heading', config: { text: 'x', level: 2 } } },
    };
    const off = (path: string) => [{ op: 'replace', path, value: 'x' }];
    for (const [ops, code] of [
      [[...retitle('Half'), ...off('/ghost/config/title')], 'CHANGESET_TARGET_NOT_FOUND'],
      [
        [{ op: 'replace', path: '/$manifest', value: { formatVersion: '1.0.0', id: 'other' } }],
        'PATCH_OFF_SURFACE',
      ],
      [off('/$manifest/id'), 'PATCH_OFF_SURFACE'],
      [off('/body/children/0/config/content/config/connectionId'), 'PATCH_OFF_SURFACE'],
      [off('/scores-block/config/content/config/connectionId'), 'PATCH_OFF_SURFACE'],
      [[{ op: 'add', path: '/body/children/-', value: block }], 'PATCH_ID_INVALID'],
    ] as const) {
      expect(await page.commit(ops), code).toMatchObject({ status: 1, body: { code } });
    }
    expect([await page.bytes(), page.commits()]).toEqual(before);
  });

  it('P10: an edit by id means the node, whatever was removed before it', async () => {
    const page = await stored(kind);
    const ops = [
      { op: 'remove', path: '/scores-block' },
      { op: 'replace', path: '/note/config/source', value: 'Alone.' },
    ];
    expect((await page.commit(ops)).status).toBe(0);
    expect(children(await page.document())[1]).toMatchObject({
      children: [{ id: 'note-block', config: { content: { config: { source: 'Alone.' } } } }],
    });
  });

  it('P11: an added field creates the parents it needs', async () => {
    const page = await stored(kind, document => {
      const body = children(document)[1] as { config?: unknown; children: JsonObject[] };
      delete body.config;
      for (const child of body.children) delete child['placement'];
    });
    const ops = [
      { op: 'add', path: '/body/config/grid/gap', value: 0.5 },
      { op: 'add', path: '/scores-block/placement/colSpan', value: 1 },
    ];
    expect((await page.commit(ops)).status).toBe(0);
    expect(children(await page.document())[1]).toMatchObject({
      config: { grid: { gap: 0.5 } },
      children: [{ placement: { colSpan: 1 } }, {}],
    });
  });

  it('P12: a node that moves keeps a placement only when it is set again', async () => {
    const side = (document: JsonObject) =>
      void children(document).push({
        id: 'side',
        type: 'container',
        config: { grid: { columns: [1, 1], rows: [1] } },
        children: [],
      });
    const move = { op: 'move', from: '/note-block', path: '/side/children/-' };
    const value = { colStart: 2, rowStart: 1 };
    const moved = async (ops: unknown[]) => {
      const page = await stored(kind, side);
      expect((await page.commit(ops)).status).toBe(0);
      return (children(await page.document())[2] as { children: JsonObject[] }).children[0];
    };
    expect(await moved([move, { op: 'add', path: '/note-block/placement', value }])).toMatchObject({
      placement: value,
    });
    expect(await moved([move])).not.toHaveProperty('placement');
  });

  it('P18: an edit keeps the order of members that the author chose', async () => {
    const page = await stored(kind);
    const { manifest, variables, connections, theme, root: tree } = await page.document();
    const unusual = canonicalText({ root: tree, theme, connections, variables, manifest } as JsonObject);
    await writeFile(page.path, unusual);
    expect((await page.commit(retitle('Weekly'))).status).toBe(0);
    expect(await page.bytes()).toBe(unusual.replace('"title": "Team pulse"', '"title": "Weekly"'));
  });
});

describe('dashdoc patch on the git store', () => {
  it('P6, P17: touches its document only; what is dirty or staged stays so', async () => {
    const page = await stored('git');
    await writeFile(join(page.directory, 'dirty.txt'), 'dirty');
    await writeFile(join(page.directory, 'staged.txt'), 'staged');
    git(page.directory, 'add', 'staged.txt');
    for (let n = 0; n < 3; n++) expect((await page.commit(retitle(`T${n}`))).status).toBe(0);
    const touched = git(page.directory, 'log', '-3', '--name-only', '--format=').split('\n').filter(Boolean);
    expect(touched).toEqual(Array(3).fill('page.json'));
    expect(git(page.directory, 'diff', '--cached', '--name-only')).toBe('staged.txt');
    expect(await readFile(join(page.directory, 'dirty.txt'), 'utf8')).toBe('dirty');
  });

  it('P7: an edit by hand makes the earlier revision stale', async () => {
    const page = await stored('git');
    const revision = String((await page.commit(retitle('Base'))).body['revision']);
    const edited = (await page.bytes()).replace('Base', 'By hand');
    await writeFile(page.path, edited);
    expect((await page.commit(retitle('Weekly'), '--expect-revision', revision)).status).toBe(1);
    expect(await page.bytes()).toBe(edited);
  });

  it.each(['*', '-x'])('P17: the id %s is a name, neither pattern nor option', async name => {
    const page = await stored('git', undefined, name);
    expect((await page.commit(retitle('Weekly'))).status).toBe(0);
    expect(git(page.directory, 'show', '--name-only', '--format=', 'HEAD')).toBe(`${name}.json`);
  });

  it('P17: a merge under way is a failure of the store, and nothing is written', async () => {
    const page = await stored('git');
    const before = await page.bytes();
    await writeFile(
      join(page.directory, '.git', 'MERGE_HEAD'),
      `${git(page.directory, 'rev-parse', 'HEAD')}\n`,
    );
    expect(await page.commit(retitle('Weekly'))).toMatchObject({ status: 1, body: { code: 'STORAGE_IO' } });
    expect(await page.bytes()).toBe(before);
  });
});
