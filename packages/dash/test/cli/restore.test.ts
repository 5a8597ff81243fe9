import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTemplate } from '#src/cli/templates.ts';
import { canonicalBytes } from '#src/document/canonical.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { git, storeAt, temporaryRoots } from '../store/stores.ts';
import { fullDashdoc as dashdoc } from './console.ts';

const root = temporaryRoots();

/** A git store with a document that was edited twice, and the revisions. */
async function edited() {
  const directory = await root();
  const flags = ['--store', 'git', '--root', directory];
  const store = storeAt('git', directory);
  const revisions = [(await store.save('team-pulse', canonicalBytes(teamPulse()))) ?? ''];
  for (const [path, value] of [
    ['/$manifest/title', 'Weekly'],
    ['/scores-block/config/title', 'Marks'],
  ]) {
    const changeset = join(directory, 'changeset.json');
    await writeFile(changeset, JSON.stringify([{ op: 'add', path, value }]));
    const { stdout } = await dashdoc(['patch', 'team-pulse', '--changeset', changeset, '--json', ...flags]);
    revisions.push(JSON.parse(stdout).revision);
  }
  const stored = async () => JSON.parse(await readFile(join(directory, 'team-pulse.json'), 'utf8'));
  return { directory, flags, revisions, stored };
}

describe('dashdoc undo, restore, history and delete', () => {
  it('takes back the newest change, and the undo itself', async () => {
    const { directory, flags, stored } = await edited();
    const dry = await dashdoc(['undo', 'team-pulse', '--dry-run', ...flags]);
    expect(dry.stdout).toBe('Renamed “Marks” to “Scores”\n');
    const before = await stored();
    expect((await dashdoc(['undo', 'team-pulse', ...flags])).stdout).toMatch(
      /^undone team-pulse revision [0-9a-f]{40}\n$/,
    );
    expect((await stored()).manifest.title).toBe('Weekly');
    expect(JSON.stringify(await stored())).not.toContain('Marks');
    expect(git(directory, 'log', '-1', '--format=%s')).toBe('Undo: Renamed “Marks” to “Scores”');
    await dashdoc(['undo', 'team-pulse', ...flags]);
    expect(await stored()).toEqual(before);
  });

  it('restores any revision and names what it cannot reach', async () => {
    const { flags, revisions, stored } = await edited();
    const [first = ''] = revisions;
    const planned = await dashdoc(['restore', 'team-pulse', '--to', first, '--dry-run', '--json', ...flags]);
    expect(JSON.parse(planned.stdout)).toMatchObject({ to: first, ops: [{}, {}], kept: [] });
    expect((await dashdoc(['restore', 'team-pulse', '--to', first.slice(0, 12), ...flags])).status).toBe(0);
    expect(await stored()).toEqual(teamPulse());
    const unknown = await dashdoc(['restore', 'team-pulse', '--to', '0'.repeat(40), ...flags]);
    expect(unknown).toMatchObject({ status: 1, stderr: expect.stringContaining('STORAGE_NOT_FOUND') });
  });

  it('tells each commit in words', async () => {
    const { flags } = await edited();
    const { stdout } = await dashdoc(['history', 'team-pulse', '--words', ...flags]);
    expect(stdout).toContain('Renamed the dashboard “Team pulse” to “Weekly”');
    expect(stdout.split('\n').filter(line => /^[0-9a-f]{12} /.test(line))).toHaveLength(3);
    const { history } = JSON.parse(
      (await dashdoc(['history', 'team-pulse', '--words', '--json', ...flags])).stdout,
    );
    expect(history[1].words).toEqual(['Renamed the dashboard “Team pulse” to “Weekly”']);
  });

  it('deletes only the revision that is expected', async () => {
    const { directory, flags, revisions } = await edited();
    const newest = revisions[2] ?? '';
    const stale = await dashdoc(['delete', 'team-pulse', '--expect-revision', revisions[0] ?? '', ...flags]);
    expect(stale).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('CHANGESET_REVISION_CONFLICT'),
    });
    const dry = await dashdoc(['delete', 'team-pulse', '--expect-revision', newest, '--dry-run', ...flags]);
    expect(dry.stdout).toBe(`would delete team-pulse revision ${newest}\n`);
    const gone = await dashdoc(['delete', 'team-pulse', '--expect-revision', newest, ...flags]);
    expect(gone.stdout).toMatch(/^deleted team-pulse revision [0-9a-f]{40}\n$/);
    expect(git(directory, 'log', '-1', '--format=%s')).toBe('Delete dashboard team-pulse');
    expect((await dashdoc(['undo', 'team-pulse', ...flags])).stderr).toContain('STORAGE_NOT_FOUND');
  });

  it('has no undo without a history, and says why', async () => {
    const directory = await root();
    await storeAt('fs', directory).save('team-pulse', canonicalBytes(teamPulse()));
    const { status, stderr } = await dashdoc(['undo', 'team-pulse', '--root', directory]);
    expect(status).toBe(1);
    expect(stderr).toContain('STORAGE_CAPABILITY_UNSUPPORTED');
  });
});

describe('dashdoc create', () => {
  it('refuses a document that does not resolve and a file that is not a dashboard, a Grafana file by its name', async () => {
    const directory = await root();
    const file = join(directory, 'in.json');
    const create = async (content: unknown) => {
      await writeFile(file, JSON.stringify(content));
      return dashdoc(['create', 'x', '--from', file, '--root', directory]);
    };
    const table: [unknown, string][] = [
      [{ root: { id: 'page', type: 'nothing' } }, 'RESOLVE_'],
      [{ hello: 1 }, 'RESOLVE_DOCUMENT_INVALID'],
      [{ panels: [], schemaVersion: 39, title: 'x' }, 'Grafana'],
      [{ dashboard: { panels: [], templating: {} }, meta: {} }, 'Grafana'],
      [{ apiVersion: 'dashboard.grafana.app/v2beta1', kind: 'Dashboard', spec: {} }, 'Grafana'],
    ];
    for (const [content, message] of table) {
      expect(await create(content)).toMatchObject({ status: 1, stderr: expect.stringContaining(message) });
    }
    expect(await storeAt('fs', directory).list()).toEqual(['in']);
    expect((await create({ ...(await readTemplate('first-steps')) })).status).toBe(0);
  });
});
