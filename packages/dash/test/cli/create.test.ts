import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { example, exampleNames } from '../resolve/golden.ts';
import { temporaryRoots } from '../store/stores.ts';
import { fullDashdoc as dashdoc } from './console.ts';

const root = temporaryRoots();

it.each(exampleNames)('create starts from the shipped example %s', async name => {
  const directory = await root();
  const words = ['create', 'mine', '--template', name, '--title', 'Mine', '--root', directory];
  const { status, stderr } = await dashdoc(words);
  expect(status).toBe(0);
  // The server of the tests has no secrets.
  expect(stderr.replace(/^mine: warning: SECRET_UNSET: .*\n/gm, '')).toBe('');
  const stored = JSON.parse(await readFile(join(directory, 'mine.json'), 'utf8'));
  const { manifest, ...rest } = example(name);
  expect(stored).toEqual({ ...rest, manifest: { ...manifest, id: 'mine', title: 'Mine' } });
});

it.each([
  ['an unknown template', ['--template', 'nothing'], 'first-steps'],
  ['a template that is a path', ['--template', '../package'], 'first-steps'],
  ['a template beside a file', ['--template', 'everything', '--from', '-'], 'a document has one source'],
])('create refuses %s and stores nothing', async (_, flags, told) => {
  const directory = await root();
  const refused = await dashdoc(['create', 'mine', ...flags, '--root', directory, '--json'], '{}');
  expect(refused).toMatchObject({ status: 2, stdout: '' });
  expect(JSON.parse(refused.stderr)).toMatchObject({
    code: 'CLI_INVALID',
    details: { argument: '--template', reason: expect.stringContaining(told) },
  });
  expect(JSON.parse((await dashdoc(['list', '--root', directory])).stdout)).toEqual({ dashboards: [] });
});

it.each([
  ['that nests too deep', 20_000, 1, { code: 'RESOLVE_DOCUMENT_INVALID', details: { reason: 'limit' } }],
  [
    'whose indented text is too long',
    240,
    1_300_000,
    { code: 'STORAGE_INVALID', details: { reason: 'size' } },
  ],
])('create refuses a file %s', async (_, levels, zeros, fault) => {
  const directory = await root();
  const list = '['.repeat(levels) + Array(zeros).fill('0') + ']'.repeat(levels);
  const create = ['create', 'mine', '--from', '-', '--root', directory, '--json'];
  const refused = await dashdoc(create, `{"manifest":{"id":"mine"},"variables":${list}}`);
  expect(JSON.parse(refused.stderr)).toMatchObject(fault);
});

it('a failure with --json is exactly the envelope, and standard output stays empty (L1)', async () => {
  const directory = await root();
  for (const [status, words] of [
    [2, ['list', '--colour']],
    [1, ['show', 'nobody']],
    [1, ['resolve', join(directory, 'absent.json')]],
  ] as const) {
    const placed = words[0] === 'resolve' ? [] : ['--root', directory];
    const outcome = await dashdoc([...words, ...placed, '--json']);
    expect(outcome).toMatchObject({ status, stdout: '' });
    expect(Object.keys(JSON.parse(outcome.stderr))).toEqual(['code', 'message', 'details']);
  }
});
