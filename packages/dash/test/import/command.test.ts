import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fullDashdoc as dashdoc } from '../cli/console.ts';
import { temporaryRoots } from '../store/stores.ts';
import { CORPUS } from './corpus.ts';

const root = temporaryRoots();
const fileOf = (name: string): string => CORPUS.find(file => file.name === name)?.path ?? '';
const service = fileOf('v1-service');
const errorOf = ({ stderr }: { stderr: string }) => JSON.parse(stderr) as Record<string, unknown>;

it('prints the document on standard output and what became of the file on standard error', async () => {
  const done = await dashdoc(['import', 'grafana', service]);
  expect(done.status).toBe(0);
  expect(JSON.parse(done.stdout)).toMatchObject({ manifest: { id: 'v1-service', title: 'Service' } });
  expect(done.stderr).toMatch(/^dash: \d+ kept, \d+ changed, \d+ lost\n/);
  expect(done.stderr).toContain('--datasource prom-main=<url>');
});

it('writes document and report, and create stores the document', async () => {
  const folder = await root();
  const [out, report] = [join(folder, 'out.json'), join(folder, 'report.json')];
  const flags = ['--id', 'mine', '--datasource', 'prom-main=http://127.0.0.1:9090/prom', '--out', out];
  const done = await dashdoc(['import', 'grafana', service, ...flags, '--report', report, '--json']);
  const written = JSON.parse(await readFile(report, 'utf8'));
  const { kept, changed, lost } = written;
  expect(JSON.parse(done.stdout)).toEqual({ out, kept, changed, lost });
  expect(done.stderr).not.toContain('--datasource');
  expect(written).toMatchObject({ model: 'v1', entries: expect.arrayContaining([expect.any(Object)]) });
  const document = JSON.parse(await readFile(out, 'utf8'));
  expect(document.connections).toEqual([
    { id: 'prom-main', type: 'prometheus', config: { url: 'http://127.0.0.1:9090/prom', refresh: 10 } },
  ]);
  const stored = await dashdoc(['create', 'mine', '--from', out, '--root', folder]);
  expect(stored).toMatchObject({ status: 0, stdout: expect.stringContaining('created mine') });
});

it('reads standard input', async () => {
  const text = await readFile(service, 'utf8');
  expect((await dashdoc(['import', 'grafana', '-'], text)).stdout).toContain('"formatVersion"');
});

it('with --strict fails on a loss after it wrote the report, and passes a file of which nothing is lost', async () => {
  const folder = await root();
  const report = join(folder, 'report.json');
  const refused = await dashdoc(['import', 'grafana', service, '--strict', '--report', report, '--json']);
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(errorOf(refused)).toMatchObject({
    code: 'IMPORT_INVALID',
    details: { reason: 'lost', where: expect.stringMatching(/^\/spec\//), lost: expect.any(Array) },
  });
  expect(JSON.parse(await readFile(report, 'utf8')).lost).toBeGreaterThan(0);
  const passed = await dashdoc(['import', 'grafana', fileOf('classic-nothing-lost'), '--strict']);
  expect(passed).toMatchObject({ status: 0, stderr: expect.stringContaining(' 0 lost') });
});

it.each([
  ['text that is not JSON', 'panels', { reason: 'not_json', where: '' }],
  ['a list', '[]', { reason: 'not_an_object', where: '' }],
  ['an object of nothing', '{}', { reason: 'not_grafana', where: '' }],
  [
    'a document of dash',
    '{"manifest":{"formatVersion":"1.0.0","id":"a"},"root":{"id":"page","type":"container"}}',
    { reason: 'not_grafana', where: '' },
  ],
  [
    'a resource without a spec',
    '{"apiVersion":"dashboard.grafana.app/v1","kind":"Dashboard"}',
    { reason: 'no_spec', where: '/spec' },
  ],
  [
    'a resource of another kind',
    '{"apiVersion":"dashboard.grafana.app/v1","spec":{"title":"x"}}',
    { reason: 'model', where: '/spec' },
  ],
  [
    'a file that nests too deep',
    `{"panels":${'['.repeat(300)}${']'.repeat(300)}}`,
    { reason: 'limit', where: '' },
  ],
  [
    'a file that nests deep',
    `{"panels":${'['.repeat(150)}${']'.repeat(150)}}`,
    { reason: 'limit', where: '' },
  ],
])('refuses %s', async (_, text, details) => {
  const refused = await dashdoc(['import', 'grafana', '-', '--json'], text);
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(errorOf(refused)).toMatchObject({ code: 'IMPORT_INVALID', details });
});

it.each([
  ['without an address', 'prom-main', /<uid>=<url>/],
  ['with an address of another kind', 'prom-main=ftp://host/', /<uid>=<url>/],
  ['with a password', 'prom-main=http://anna:hunter22@host/', /without credentials/],
  ['that no panel asks', 'other=http://host/', /prom-main/],
])('refuses a --datasource %s, and never repeats the address', async (_, datasource, told) => {
  const refused = await dashdoc(['import', 'grafana', service, '--datasource', datasource, '--json']);
  expect(refused).toMatchObject({ status: 2, stdout: '' });
  expect(errorOf(refused)).toMatchObject({
    code: 'CLI_INVALID',
    message: expect.stringMatching(told),
    details: { argument: '--datasource' },
  });
  expect(refused.stderr).not.toContain('hunter22');
});

it('refuses an id that names no file, and a file that cannot be written', async () => {
  const unsafe = await dashdoc(['import', 'grafana', service, '--id', '../x', '--json']);
  expect(errorOf(unsafe)).toMatchObject({ code: 'STORAGE_ID_INVALID' });
  const out = join(await root(), 'absent', 'out.json');
  const unwritten = await dashdoc(['import', 'grafana', service, '--out', out, '--json']);
  expect(errorOf(unwritten)).toMatchObject({ code: 'STORAGE_IO', details: { operation: 'write' } });
});

it.each([
  ...CORPUS.map(
    ({ name, path }) =>
      [`the Grafana file ${name}`, path, '', 'RESOLVE_DOCUMENT_INVALID', /dashdoc import grafana/] as const,
  ),
  ['a list', '-', '[]', 'RESOLVE_DOCUMENT_INVALID', /must be a JSON object; got a list/],
  ['an object of nothing', '-', '{}', 'RESOLVE_DOCUMENT_INVALID', /./],
  [
    'a document that does not resolve',
    '-',
    '{"manifest":{"formatVersion":"1.0.0","id":"a"},"root":{"id":"page","type":"ghost"}}',
    'SCHEMA_REF_UNRESOLVED',
    /ghost/,
  ],
] as const)('create --from refuses %s and stores nothing', async (_, file, text, code, told) => {
  const folder = await root();
  const refused = await dashdoc(['create', 'mine', '--from', file, '--root', folder, '--json'], text);
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(errorOf(refused)).toMatchObject({ code, message: expect.stringMatching(told) });
  expect(JSON.parse((await dashdoc(['list', '--root', folder])).stdout)).toEqual({ dashboards: [] });
});
