import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalText } from '#src/document/canonical.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { KINDS, temporaryRoots } from '../store/stores.ts';
import { dashdoc, fullDashdoc, type Outcome } from './console.ts';

const root = temporaryRoots();
const id = 'team-pulse';
const rename = (value: string) => JSON.stringify([{ op: 'replace', path: '/$manifest/title', value }]);

async function created(kind: 'fs' | 'git' = 'fs') {
  const directory = await root();
  const flags = ['--store', kind, '--root', directory];
  await dashdoc(['create', id, '--from', '-', ...flags], canonicalText(teamPulse()));
  const path = join(directory, `${id}.json`);
  return { directory, flags, path, bytes: () => readFile(path, 'utf8') };
}

function envelope({ stderr }: Outcome): { code: string; details: Record<string, unknown> } {
  return JSON.parse(stderr) as { code: string; details: Record<string, unknown> };
}

describe.each(KINDS)('dashdoc patch on the %s store', kind => {
  it('prints the new revision, which the next expectation matches and the old one does not', async () => {
    const { flags, bytes } = await created(kind);
    const done = await dashdoc(['patch', id, '--changeset', '-', ...flags], rename('Weekly'));
    expect(done).toMatchObject({ status: 0, stderr: '' });
    const revision = /^patched team-pulse revision (\S+)\n$/.exec(done.stdout)?.[1] ?? '';
    const next = ['patch', id, '--changeset', '-', '--expect-revision', revision, '--json', ...flags];
    const first = await dashdoc(next, rename('Monthly'));
    expect(JSON.parse(first.stdout)).toEqual({ id, revision: expect.not.stringContaining(revision) });
    const before = await bytes();
    const second = await dashdoc(next, rename('Yearly'));
    expect(second).toMatchObject({ status: 1, stdout: '' });
    expect(envelope(second)).toMatchObject({
      code: 'CHANGESET_REVISION_CONFLICT',
      details: { id, expected: revision },
    });
    expect(await bytes()).toBe(before);
  });

  it('with --dry-run prints the preview and stores nothing', async () => {
    const { flags, bytes } = await created(kind);
    const before = await bytes();
    const tried = await dashdoc(['patch', id, '--dry-run', '--changeset', '-', ...flags], rename('Weekly'));
    expect(JSON.parse(tried.stdout)).toMatchObject({ manifest: { title: 'Weekly' } });
    expect(await bytes()).toBe(before);
  });

  it('tells what a changeset would change', async () => {
    const { flags } = await created(kind);
    const told = await dashdoc(['diff', id, '--changeset', '-', ...flags], rename('Weekly'));
    expect(told).toEqual({
      status: 0,
      stderr: '',
      stdout: 'Renamed the dashboard “Team pulse” to “Weekly”\n',
    });
    const data = await dashdoc(['diff', id, '--changeset', '-', '--json', ...flags], '[]');
    expect(JSON.parse(data.stdout)).toEqual({ id, changes: [], words: [] });
  });
});

describe('dashdoc', () => {
  it('creates an empty page or a copy under a new id, once', async () => {
    const { directory, flags, path } = await created();
    expect((await fullDashdoc(['create', 'blank', '--title', 'Blank', ...flags])).stdout).toMatch(
      /^created blank revision \S+\n$/,
    );
    const copied = await dashdoc(['create', 'copy', '--from', path, '--json', ...flags]);
    expect(JSON.parse(copied.stdout)).toEqual({ id: 'copy', revision: expect.any(String) });
    expect(envelope(await fullDashdoc(['--json', 'create', 'copy', ...flags]))).toMatchObject({
      code: 'STORAGE_EXISTS',
      details: { id: 'copy' },
    });
    await writeFile(join(directory, 'broken.json'), '{');
    const list = JSON.parse((await dashdoc(['list', ...flags])).stdout) as object;
    expect(list).toEqual({
      dashboards: [
        { id: 'blank', title: 'Blank' },
        { id: 'broken' },
        { id: 'copy', title: 'Team pulse' },
        { id, title: 'Team pulse' },
      ],
    });
  });

  it('shows history, old versions and the difference between them', async () => {
    const { flags } = await created('git');
    await dashdoc(['patch', id, '--changeset', '-', '--message', 'Rename', ...flags], rename('Weekly'));
    const { history } = JSON.parse((await dashdoc(['history', id, ...flags])).stdout) as {
      history: { revision: string; message: string }[];
    };
    expect(history.map(entry => entry.message.split('\n')[0])).toEqual([
      'Rename',
      'Create dashboard team-pulse',
    ]);
    const old = await dashdoc(['show', id, '--at', history[1]?.revision ?? '', ...flags]);
    expect(old.stdout).toBe(canonicalText(teamPulse()));
    const expected = 'Renamed the dashboard “Team pulse” to “Weekly”\n';
    expect((await dashdoc(['diff', id, ...flags])).stdout).toBe(expected);
    const explicit = ['--from', history[1]?.revision ?? '', '--to', history[0]?.revision ?? ''];
    expect((await dashdoc(['diff', id, ...explicit, ...flags])).stdout).toBe(expected);
    expect(envelope(await dashdoc(['show', id, '--at', '0000000', '--json', ...flags])).code).toBe(
      'STORAGE_NOT_FOUND',
    );
  });

  it('validates stored documents and files, one line for each fault', async () => {
    const { directory, flags, path } = await created();
    expect(await dashdoc(['validate', ...flags])).toEqual({ status: 0, stdout: '', stderr: '' });
    await fullDashdoc(['create', 'blank', ...flags]);
    expect(await dashdoc(['validate', ...flags])).toEqual({
      status: 1,
      stdout: '',
      stderr: 'blank: VAR_UNDEFINED: No theme.\n',
    });
    const blank = join(directory, 'blank.json');
    const faults = await dashdoc(['validate', path, blank, '--json']);
    expect(JSON.parse(faults.stdout)).toEqual([
      { target: blank, code: 'VAR_UNDEFINED', message: 'No theme.', details: { name: 'theme' } },
    ]);
    expect(faults.status).toBe(1);
  });

  it('resolves a file or a stored document, with overrides', async () => {
    const { flags, path } = await created();
    const set = ['--set', 'team=core', '--set', 'scores.title=a=b'];
    for (const target of [[path], [id, ...flags]]) {
      const { stdout } = await dashdoc(['resolve', ...target, ...set]);
      expect(JSON.parse(stdout)).toMatchObject({
        manifest: { id },
        overrides: [
          { address: 'team', text: 'core' },
          { address: 'scores.title', text: 'a=b' },
        ],
      });
    }
    expect(envelope(await dashdoc(['resolve', '/none/such.json', '--json'])).code).toBe('RESOLVE_IO');
  });

  it.each([
    ['over 8 MiB', Buffer.alloc(8 * 1024 * 1024 + 1, '{}  '), 'limit'],
    ['that is not UTF-8', Buffer.from('{"manifest":{"id":"\xff"}}', 'latin1'), 'not_utf8'],
    ['that is not JSON', Buffer.from('{'), 'json'],
    ['that is no object', Buffer.from('[]'), 'not_a_json_object'],
  ])('refuses a file %s', async (_name, bytes, reason) => {
    for (const words of [
      ['resolve', '-'],
      ['create', 'x', '--from', '-', '--root', await root()],
    ]) {
      expect(envelope(await dashdoc([...words, '--json'], bytes))).toMatchObject({
        code: 'RESOLVE_DOCUMENT_INVALID',
        details: { source: '-', reason },
      });
    }
  });

  it('takes flags before the subcommand as well', async () => {
    const { flags } = await created();
    const before = await dashdoc([...flags, '--changeset', '-', 'patch', id], rename('Weekly'));
    expect(before.stdout).toMatch(/^patched/);
  });

  it.each([
    ['an unknown flag', ['list', '--colour']],
    ['an unknown command', ['lsit']],
    ['a missing argument', ['show']],
    ['a missing changeset', ['patch', 'x']],
    ['a bad commit subject', ['patch', 'x', '--changeset', '-', '--message', 'a\nb']],
    ['a commit subject that reads as another', ['patch', 'x', '--changeset', '-', '--message', 'a\u202eb']],
    ['an override without value', ['resolve', 'x', '--root', '.', '--set', 'team']],
    ['revisions beside a changeset', ['diff', 'x', '--changeset', '-', '--from', 'y']],
  ])('answers %s with exit status 2 and only the envelope', async (_name, words) => {
    const outcome = await dashdoc(['--json', ...words], '[]');
    expect(outcome).toMatchObject({ status: 2, stdout: '' });
    expect(envelope(outcome)).toMatchObject({ code: 'CLI_INVALID', details: { reason: expect.any(String) } });
  });

  it('without arguments says what is missing, then its help', async () => {
    const { status, stdout, stderr } = await dashdoc([]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^error: CLI_INVALID: a command is required\.\n\nUsage: dashdoc /);
    expect(envelope(await dashdoc(['--json'])).details).toEqual({ reason: 'a command is required' });
  });

  it('suggests commands and flags, and completes them', async () => {
    expect((await dashdoc(['lsit'])).stderr).toBe(
      'error: CLI_INVALID: command "lsit" does not exist; did you mean "list"?\n',
    );
    expect(envelope(await dashdoc(['list', '--stor', 'git', '--json'])).details).toEqual({
      argument: '--stor',
      reason: 'flag "--stor" does not exist; did you mean "--store"?',
    });
    const { status, stdout } = await dashdoc(['completion', 'fish']);
    expect(status).toBe(0);
    expect(stdout).toContain('complete -c dashdoc -n \'__dashdoc_at "patch"\' -l changeset -r');
  });

  it('names the file of a changeset that is not JSON', async () => {
    const { flags, path } = await created();
    await writeFile(path, 'nonsense');
    expect((await dashdoc(['patch', id, '--changeset', path, ...flags])).stderr).toBe(
      `error: PATCH_INVALID: The changeset ${path} must be JSON in UTF-8; got other bytes.\n`,
    );
  });

  it('refuses a root that is not a directory, in place of an empty store', async () => {
    const { path } = await created();
    for (const nowhere of [path, '/none/such']) {
      for (const command of [['list'], ['show', id], ['create', 'x'], ['validate']]) {
        const outcome = await dashdoc([...command, '--json', '--root', nowhere]);
        expect(outcome).toMatchObject({ status: 1, stdout: '' });
        expect(envelope(outcome)).toMatchObject({ code: 'STORAGE_IO', details: { operation: 'open' } });
      }
    }
  });

  it('names an unknown store, prints its version and its help', async () => {
    expect(await dashdoc(['list', '--store', 's3'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('STORAGE_BACKEND_UNKNOWN'),
    });
    expect(await dashdoc(['--version'])).toEqual({ status: 0, stdout: 'version dev\n', stderr: '' });
    expect((await dashdoc(['--help'])).stdout).toContain('patch');
  });

  it('refuses numbers that storing would alter, in a changeset and in a new document', async () => {
    const { flags, path, bytes } = await created();
    const before = await bytes();
    for (const number of ['9007199254740993', '1e400']) {
      const ops = `[{"op":"add","path":"/$variables/-","value":${number}}]`;
      expect(
        envelope(await dashdoc(['patch', id, '--changeset', '-', '--json', ...flags], ops)),
      ).toMatchObject({
        code: 'PATCH_INVALID',
        details: { reason: expect.stringContaining(number) },
      });
      const document = before.replace('"score": 4', `"score": ${number}`);
      const create = ['create', 'new', '--from', '-', '--json', ...flags];
      expect(envelope(await dashdoc(create, document))).toMatchObject({
        code: 'RESOLVE_DOCUMENT_INVALID',
        details: { source: '-', reason: 'number' },
      });
    }
    expect(await readFile(path, 'utf8')).toBe(before);
  });

  it('reports malformed changesets as such', async () => {
    const { flags } = await created();
    const patch = (input: string | Uint8Array) =>
      dashdoc(['patch', id, '--changeset', '-', '--json', ...flags], input);
    expect(envelope(await patch(Buffer.from('["\xff"]', 'latin1')))).toMatchObject({
      code: 'PATCH_INVALID',
      details: { reason: 'not_json' },
    });
    expect(envelope(await patch('{'))).toMatchObject({ code: 'PATCH_INVALID' });
    expect(envelope(await patch('{}'))).toMatchObject({ code: 'PATCH_INVALID' });
    expect(envelope(await patch('[{"op":"remove","path":"x"}]'))).toMatchObject({
      code: 'PATCH_POINTER_INVALID',
    });
  });
});
