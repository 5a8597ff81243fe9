import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SINK_CONTRACT } from '@msg/server/testing';
import { runMsg } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RepositoryCopy } from './support/copy.ts';
import { blocksOf, isRepositoryStep, readPage } from './support/pages.ts';

const PAGE = 'docs/how-to-add-a-sink-kind.md';
const PACKAGES = [
  'foundation',
  'protocol',
  'redis',
  'engine',
  'core',
  'command-line',
  'console',
  'postgres',
  'server',
  'testkit',
];

describe(`${PAGE}, a kind of this repository, in a copy`, { timeout: 180_000 }, () => {
  let copy: RepositoryCopy;
  let config: string;
  const checked = () => runMsg(['config', 'check', config], { program: copy.msg });

  beforeAll(() => {
    copy = new RepositoryCopy(PACKAGES);
    config = join(copy.root, 'msg.yaml');
    writeFileSync(
      config,
      'sinks:\n  night: { kind: pager, url: "http://localhost:9000/page", urgent: yes }\n',
    );
  });
  afterAll(() => copy.remove());

  it('the configuration refuses the kind before, and takes it afterwards', async () => {
    expect((await checked()).stderr).toContain('must be one of email, slack, webpush, webhook; got "pager"');
    for (const block of blocksOf(readPage(PAGE)).filter(isRepositoryStep)) copy.follow(block);
    expect(copy.typeErrors('server')).toBe('');
    expect(await checked()).toMatchObject({ code: 0, stderr: '' });
  });

  it('the suite of sinks runs on the row by itself, and holds', () => {
    const suite = 'packages/server/test/notify/sinks/kinds.test.ts';
    const { failed, passed } = copy.runTests([suite]);
    expect(failed).toEqual([]);
    const cases = passed.filter(name => name.startsWith('sink kind pager '));
    expect(cases).toHaveLength(SINK_CONTRACT.length);
  });
});
