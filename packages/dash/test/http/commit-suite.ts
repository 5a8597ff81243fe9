import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalText } from '#src/document/canonical.ts';
import type { JsonObject } from '#src/document/json.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { git, KINDS, PATIENT_MS } from '../store/stores.ts';
import { askJson, type JsonAnswer, post, Serving } from './serving.ts';

/** One way to start the server and to send a changeset. */
export interface CommitWay {
  readonly name: string;
  /** Further words of the command line. */
  readonly words: readonly string[];
  /** Members of a body in addition. */
  readonly further: object;
}

export const retitle = (value: string) => [{ op: 'replace', path: '/$manifest/title', value }];
const block = (id: string, content: string) => ({
  id,
  type: 'block',
  config: { content: { id: content, type: 'heading', config: { text: 'Goal', level: 2 } } },
});

function tally(answers: readonly JsonAnswer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** P1 to P18 of the second specification, against the real process that was started one way. */
export function commitSuite(way: CommitWay): void {
  const kinds = new Map<string, { root: string; serving: Serving }>();

  beforeAll(async () => {
    for (const kind of KINDS) {
      const root = await mkdtemp(join(tmpdir(), 'dash-http-'));
      if (kind === 'git') git(root, 'init', '--quiet');
      kinds.set(kind, {
        root,
        serving: await Serving.start(['--store', kind, '--root', root, ...way.words]),
      });
    }
  }, PATIENT_MS);

  afterAll(async () => {
    for (const { root, serving } of kinds.values()) {
      await serving.stop();
      await rm(root, { recursive: true, force: true });
    }
  }, PATIENT_MS);

  let count = 0;

  /** A document of its own for each test, stored and committed as it stands. */
  async function stored(
    kind: string,
    change: (document: JsonObject) => void = () => undefined,
    name?: string,
  ) {
    const { root, serving } = kinds.get(kind) as { root: string; serving: Serving };
    count++;
    const id = name ?? `page-${count}`;
    const document = teamPulse();
    (document['manifest'] as JsonObject)['id'] = id;
    change(document);
    const path = join(root, `${id}.json`);
    await writeFile(path, canonicalText(document));
    const commits = (): string =>
      kind === 'git' ? git(root, 'rev-list', '--count', 'HEAD', '--', `:(literal)${id}.json`) : '';
    if (kind === 'git') {
      git(root, 'add', '--', `:(literal)${id}.json`);
      git(root, 'commit', '--quiet', '-m', `Add ${id}`, '--', `:(literal)${id}.json`);
    }
    return {
      id,
      root,
      path,
      commits,
      bytes: () => readFile(path, 'utf8'),
      document: async () => JSON.parse(await readFile(path, 'utf8')) as JsonObject,
      validate: (ops: unknown, more: object = {}) =>
        post(`${serving.url}/api/validate`, { id, ops, ...way.further, ...more }),
      commit: (ops: unknown, more: object = {}) =>
        post(`${serving.url}/api/patch`, { id, ops, ...way.further, ...more }),
      tree: () => askJson(`${serving.url}/api/d/${encodeURIComponent(id)}/tree`),
      history: () => askJson(`${serving.url}/api/d/${encodeURIComponent(id)}/history`),
    };
  }

  describe.each(KINDS)('commits to the %s store', kind => {
    it('P1, P2: the validated base is taken once; afterwards it is stale and changes nothing', async () => {
      const page = await stored(kind);
      const tried = await page.validate(retitle('Weekly'));
      expect(tried).toMatchObject({ status: 200, body: { ok: true, baseRevision: expect.any(String) } });
      const { preview, baseRevision } = tried.body;
      const done = await page.commit(retitle('Weekly'), { expectedRevision: baseRevision });
      expect(done.status).toBe(200);
      expect(done.body.revision).not.toBe(baseRevision);
      expect(done.body.result).toEqual(preview);
      expect((await page.tree()).body).toEqual(preview);
      expect((await page.validate([])).body.baseRevision).toBe(done.body.revision);
      const before = await page.bytes();
      const late = await page.commit(retitle('Late'), { expectedRevision: baseRevision });
      expect(late).toMatchObject({
        status: 409,
        body: {
          code: 'CHANGESET_REVISION_CONFLICT',
          details: { id: page.id, expected: baseRevision, current: done.body.revision },
        },
      });
      expect(await page.bytes()).toBe(before);
      // An empty token is a token too, and a dry run checks the precondition it is given.
      expect((await page.commit(retitle('Late'), { expectedRevision: '' })).status).toBe(409);
      expect((await page.validate(retitle('Late'), { expectedRevision: baseRevision })).status).toBe(409);
      expect(await page.bytes()).toBe(before);
    });

    it(
      'P3: of twenty commits onto one revision one is taken',
      async () => {
        const page = await stored(kind);
        const { baseRevision: expectedRevision } = (await page.validate([])).body;
        const before = Number(page.commits());
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, n) => page.commit(retitle(`Title ${n}`), { expectedRevision })),
        );
        expect(tally(answers)).toEqual({ 200: 1, 409: 19 });
        const taken = answers.findIndex(({ status }) => status === 200);
        expect(await page.document()).toMatchObject({ manifest: { title: `Title ${taken}` } });
        if (kind === 'git') expect(Number(page.commits())).toBe(before + 1);
      },
      PATIENT_MS,
    );

    it(
      'P4, P6: twenty commits without a precondition are all taken, each as a commit of its own',
      async () => {
        const page = await stored(kind);
        const other = join(page.root, 'notes.txt');
        await writeFile(other, 'dirty');
        const before = Number(page.commits());
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            page.commit([
              { op: 'add', path: '/$variables/-', value: { name: `v${n}`, type: 'integer', default: n } },
            ]),
          ),
        );
        expect(tally(answers)).toEqual({ 200: 20 });
        expect(new Set(answers.map(({ body }) => body.revision)).size).toBe(20);
        const names = ((await page.document())['variables'] as { name: string }[]).map(({ name }) => name);
        expect(names).toHaveLength(23);
        for (let n = 0; n < 20; n++) expect(names).toContain(`v${n}`);
        if (kind === 'git') {
          expect(Number(page.commits())).toBe(before + 20);
          const touched = git(page.root, 'log', '-20', '--name-only', '--format=', '--', `${page.id}.json`);
          expect(new Set(touched.split('\n').filter(Boolean))).toEqual(new Set([`${page.id}.json`]));
          expect(git(page.root, 'status', '--porcelain')).toContain('?? notes.txt');
        }
        expect(await readFile(other, 'utf8')).toBe('dirty');
        await rm(other);
      },
      PATIENT_MS,
    );

    it('P5: what changes nothing writes nothing, however the file is laid out', async () => {
      const page = await stored(kind);
      const cramped = JSON.stringify(await page.document());
      await writeFile(page.path, cramped);
      const { baseRevision } = (await page.validate([])).body;
      const commits = page.commits();
      for (const ops of [
        [],
        retitle('Team pulse'),
        [{ op: 'test', path: '/$manifest/title', value: 'Team pulse' }],
      ]) {
        const done = await page.commit(ops, { expectedRevision: baseRevision });
        expect(done).toMatchObject({ status: 200, body: { revision: baseRevision } });
      }
      expect(await page.bytes()).toBe(cramped);
      expect(page.commits()).toBe(commits);
    });

    it('P9: a changeset is taken whole or not at all', async () => {
      const page = await stored(kind);
      const before = [await page.bytes(), page.commits()];
      const ops = [...retitle('Half'), { op: 'replace', path: '/ghost/config/title', value: 'x' }];
      expect(await page.commit(ops)).toMatchObject({
        status: 422,
        body: { code: 'CHANGESET_TARGET_NOT_FOUND', details: { id: page.id, nodeId: 'ghost', index: 1 } },
      });
      expect([await page.bytes(), page.commits()]).toEqual(before);
    });

    it('P10: an edit by id means the node, whatever was removed before it', async () => {
      const page = await stored(kind);
      const done = await page.commit([
        { op: 'remove', path: '/scores-block' },
        { op: 'replace', path: '/note/config/source', value: 'Alone.' },
      ]);
      expect(done.status).toBe(200);
      const [body] = (
        (await page.document())['root'] as { children: { id: string; children: unknown[] }[] }
      ).children.slice(1);
      expect(body?.children).toEqual([
        expect.objectContaining({
          id: 'note-block',
          config: expect.objectContaining({
            content: expect.objectContaining({ config: { source: 'Alone.' } }),
          }),
        }),
      ]);
    });

    it('P11: an added field creates the parents it needs', async () => {
      const page = await stored(kind, document => {
        const { children } = document['root'] as { children: JsonObject[] };
        delete children[1]?.['config'];
        const [scores] = (children[1] as { children: JsonObject[] }).children;
        delete scores?.['placement'];
        delete (children[1] as { children: JsonObject[] }).children[1]?.['placement'];
      });
      const done = await page.commit([
        { op: 'add', path: '/body/config/grid/gap', value: 0.5 },
        { op: 'add', path: '/scores-block/placement/colSpan', value: 1 },
      ]);
      expect(done.status).toBe(200);
      const { children } = (await page.document())['root'] as { children: JsonObject[] };
      expect(children[1]).toMatchObject({
        config: { grid: { gap: 0.5 } },
        children: [{ id: 'scores-block', placement: { colSpan: 1 } }, { id: 'note-block' }],
      });
    });

    it('P12: a node that moves to another parent keeps a placement only when it is set again', async () => {
      const side = (document: JsonObject) =>
        (document['root'] as { children: unknown[] }).children.push({
          id: 'side',
          type: 'container',
          config: { grid: { columns: [1, 1], rows: [1] } },
          children: [],
        });
      const move = { op: 'move', from: '/note-block', path: '/side/children/-' };
      const place = { op: 'add', path: '/note-block/placement', value: { colStart: 2, rowStart: 1 } };
      const moved = async (ops: unknown[]) => {
        const page = await stored(kind, side);
        expect((await page.commit(ops)).status).toBe(200);
        const { children } = (await page.document())['root'] as { children: { children: JsonObject[] }[] };
        return children[2]?.children[0];
      };
      expect(await moved([move, place])).toMatchObject({ id: 'note-block', placement: place.value });
      const free = await moved([move]);
      expect(free).toMatchObject({ id: 'note-block' });
      expect(free).not.toHaveProperty('placement');
    });

    it('P13: no commit turns one document into another', async () => {
      const [page, other] = [await stored(kind), await stored(kind)];
      const before = [await page.bytes(), await other.bytes()];
      const manifest = { formatVersion: '1.0.0', id: other.id };
      for (const op of [
        { op: 'replace', path: '/$manifest', value: manifest },
        { op: 'replace', path: '/$manifest/id', value: other.id },
      ]) {
        expect(await page.commit([op])).toMatchObject({ status: 422, body: { code: 'PATCH_OFF_SURFACE' } });
      }
      expect([await page.bytes(), await other.bytes()]).toEqual(before);
    });

    it('P14: a field that is off the surface stays so by any way around', async () => {
      const page = await stored(kind);
      const before = await page.bytes();
      for (const path of [
        '/scores/config/connectionId',
        '/scores-block/config/content/config/connectionId',
        '/body/children/0/config/content/config/connectionId',
        '/$root/children/1/children/0/config/content/config/connectionId',
      ]) {
        expect(await page.commit([{ op: 'replace', path, value: 'x' }])).toMatchObject({
          status: 422,
          body: { code: 'PATCH_OFF_SURFACE', details: { nodeId: 'scores', field: 'connectionId' } },
        });
      }
      expect(await page.bytes()).toBe(before);
    });

    it('P15: an id that another node has cannot be added, not even inside a block', async () => {
      const page = await stored(kind);
      const add = { op: 'add', path: '/body/children/-', value: block('new-block', 'note') };
      expect(await page.commit([add])).toMatchObject({
        status: 422,
        body: { code: 'PATCH_ID_INVALID', details: { id: 'note', reason: 'duplicate' } },
      });
    });

    it('P18: an edit keeps the order of members that the author chose', async () => {
      const page = await stored(kind);
      const { manifest, variables, connections, theme, root } = await page.document();
      const unusual = canonicalText({ root, theme, connections, variables, manifest } as JsonObject);
      await writeFile(page.path, unusual);
      expect((await page.commit(retitle('Weekly'))).status).toBe(200);
      expect(await page.bytes()).toBe(unusual.replace('"title": "Team pulse"', '"title": "Weekly"'));
    });
  });

  describe('the git store', () => {
    it('P6: N commits to one document touch only that file and leave dirty ones alone', async () => {
      const [page, other] = [await stored('git'), await stored('git')];
      await writeFile(other.path, 'dirty');
      const before = Number(git(page.root, 'rev-list', '--count', 'HEAD'));
      for (let n = 0; n < 3; n++) expect((await page.commit(retitle(`Title ${n}`))).status).toBe(200);
      expect(Number(git(page.root, 'rev-list', '--count', 'HEAD'))).toBe(before + 3);
      const touched = git(page.root, 'log', '-3', '--name-only', '--format=').split('\n').filter(Boolean);
      expect(touched).toEqual(Array(3).fill(`${page.id}.json`));
      expect(await other.bytes()).toBe('dirty');
      expect(git(page.root, 'status', '--porcelain', '--', `${other.id}.json`)).toBe(` M ${other.id}.json`);
    });

    it('P7: an edit by hand makes the earlier revision stale', async () => {
      const page = await stored('git');
      const { baseRevision } = (await page.validate([])).body;
      const edited = (await page.bytes()).replace('Team pulse', 'By hand');
      await writeFile(page.path, edited);
      expect((await page.commit(retitle('Weekly'), { expectedRevision: baseRevision })).status).toBe(409);
      expect(await page.bytes()).toBe(edited);
    });

    it('P17: what is staged stays staged and out of the commit', async () => {
      const [page, other] = [await stored('git'), await stored('git')];
      await writeFile(other.path, (await other.bytes()).replace('Team pulse', 'Staged'));
      git(page.root, 'add', `${other.id}.json`);
      expect((await page.commit(retitle('Weekly'))).status).toBe(200);
      expect(git(page.root, 'diff', '--cached', '--name-only')).toBe(`${other.id}.json`);
      expect(git(page.root, 'show', '--name-only', '--format=', 'HEAD')).toBe(`${page.id}.json`);
      git(page.root, 'commit', '--quiet', '-m', 'Staged');
    });

    it.each(['*', '-x'])('P17: the id %s is a name, neither pattern nor option', async name => {
      const page = await stored('git', undefined, name);
      expect((await page.commit(retitle('Weekly'))).status).toBe(200);
      expect(git(page.root, 'show', '--name-only', '--format=', 'HEAD')).toBe(`${name}.json`);
      expect((await page.history()).body.revisions).toHaveLength(2);
    });

    it('takes the subject of the commit and lists it in the history', async () => {
      const page = await stored('git');
      const done = await page.commit(retitle('Weekly'), { message: 'Name it by the week' });
      const { revisions } = (await page.history()).body;
      expect(revisions).toEqual([
        {
          revision: done.body.revision,
          message: expect.stringContaining('Name it by the week'),
          author: expect.any(String),
          timestamp: expect.any(String),
        },
        expect.objectContaining({ message: `Add ${page.id}` }),
      ]);
    });

    it('P17: a merge under way is a failure of the store, and nothing is written', async () => {
      const page = await stored('git');
      const before = await page.bytes();
      const mergeHead = join(page.root, '.git', 'MERGE_HEAD');
      await writeFile(mergeHead, `${git(page.root, 'rev-parse', 'HEAD')}\n`);
      const refused = await page.commit(retitle('Weekly'));
      await rm(mergeHead);
      expect(refused).toMatchObject({ status: 500, body: { code: 'STORAGE_IO', details: { id: page.id } } });
      expect(await page.bytes()).toBe(before);
      expect((await page.commit(retitle('Weekly'))).status).toBe(200);
    });
  });
}
