import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { canonicalText } from '#src/document/canonical.ts';
import { teamPulse } from '../resolve/team-pulse.ts';
import { temporaryRoots } from '../store/stores.ts';
import { fullDashdoc } from './console.ts';

const root = temporaryRoots();
const CANARY = 'canary-4b1f';

/** The document with a credential in a header. */
function careless(): string {
  const document = teamPulse();
  document.connections = [
    ...(document.connections ?? []),
    { id: 'api', type: 'http', config: { url: 'https://a.example/', headers: { authorization: CANARY } } },
  ];
  return canonicalText(document);
}

it('validate tells on standard error what is worth a look, and ends with 0', async () => {
  const file = join(await root(), 'team-pulse.json');
  await writeFile(file, careless());
  for (const flags of [[], ['--json']]) {
    const { status, stdout, stderr } = await fullDashdoc(['validate', file, ...flags]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: flags.length === 0 ? '' : '[]\n' });
    expect(stderr).toMatch(
      /team-pulse\.json: warning: CREDENTIAL_LITERAL: connections\[1\]\.config\.headers\.authorization holds a credential as plain text; .*\n$/,
    );
    expect(stderr).not.toContain(CANARY);
  }
});

it('create tells it too, and stores the document', async () => {
  const directory = await root();
  const words = ['create', 'mine', '--from', '-', '--root', directory];
  const { status, stdout, stderr } = await fullDashdoc(words, careless());
  expect(status).toBe(0);
  expect(stdout).toMatch(/^created mine/);
  expect(stderr).toMatch(/^mine: warning: CREDENTIAL_LITERAL: .*\n$/);
  expect(stderr).not.toContain(CANARY);
});
