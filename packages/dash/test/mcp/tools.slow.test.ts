import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalText } from '#src/document/canonical.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { git } from '../store/stores.ts';
import { changesetsSuite } from './changesets-suite.ts';
import { RawHost } from './host.ts';
import { toolsSuite } from './tools-suite.ts';
import { PLAIN, WAYS } from './ways.ts';

const id = 'team-pulse';
const text = canonicalText(teamPulse());

for (const suite of [toolsSuite, changesetsSuite]) {
  suite(PLAIN);
  describe.each(WAYS)('$name', suite);
}

it('on a git store tries without a trace, knows history and insists on secrets when told to', async () => {
  const root = await mkdtemp(join(tmpdir(), 'dash-mcp-git-'));
  git(root, 'init', '-q');
  await writeFile(join(root, `${id}.json`), text);
  git(root, 'add', '.');
  git(root, '-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-q', '-m', 'first');
  const elsewhere = new RawHost(['--store', 'git', '--root', root, '--require-secrets'], tmpdir());
  try {
    await elsewhere.initialize();
    const before = git(root, 'rev-parse', 'HEAD') + git(root, 'status', '--porcelain');
    const ops = [{ op: 'replace', path: '/$manifest/title', value: 'Weekly' }];
    const tried = (await elsewhere.tool('dash_validate_patch', { id, ops })).structuredContent;
    const outline = (await elsewhere.tool('dash_get_outline', { id })).structuredContent;
    expect(tried).toMatchObject({ ok: true, baseRevision: outline?.['revision'] });
    expect(git(root, 'rev-parse', 'HEAD') + git(root, 'status', '--porcelain')).toBe(before);
    const config = {
      url: 'https://example.com/',
      headers: { authorization: { $secret: 'DASH_TEST_UNSET' } },
    };
    const secret = { op: 'add', path: '/$connections/-', value: { id: 'api', type: 'http', config } };
    expect(
      (await elsewhere.tool('dash_validate_patch', { id, ops: [secret] })).structuredContent,
    ).toMatchObject({
      ok: false,
      code: 'SECRET_MISSING',
      details: { name: 'DASH_TEST_UNSET' },
    });
    expect((await elsewhere.tool('dash_get_manifest')).structuredContent).toMatchObject({
      store: { kind: 'git', revisions: true, history: true },
    });
  } finally {
    await elsewhere.hangUp();
    await rm(root, { recursive: true });
  }
});
