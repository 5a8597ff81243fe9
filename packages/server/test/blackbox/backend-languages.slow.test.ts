// docs/backend-credential.md: a backend in each language that is on this machine presents its key to the real service.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { cleanEnv, ShellProcess } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, ROOT, readPage } from '../../../../test/support/pages.ts';
import { configuredServer } from '../support/configured-server.ts';
import { rpcOf } from '../support/rpc.ts';

const KEY = `msgk_${crypto.randomUUID()}`;
const WRONG = 'a-key-that-the-service-does-not-know';

const BLOCKS = blocksOf(readPage('docs/backend-credential.md'));
const COMMANDS =
  BLOCKS.find(({ text }) => text.startsWith('node publish.mjs'))
    ?.text.trim()
    .split('\n') ?? [];

const isThere = (command: string): boolean => {
  const [program = ''] = command.split(' ');
  return spawnSync('/bin/sh', ['-c', `command -v ${program}`]).status === 0;
};

describe('a backend with the key of docs/backend-credential.md', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof configuredServer>>;
  let offset = 0;

  beforeAll(async () => {
    mkdirSync(join(ROOT, '.tmp'), { recursive: true });
    // Below the repository, where the program for Node finds its package.
    folder = mkdtempSync(join(ROOT, '.tmp/backends-'));
    for (const { words, text } of BLOCKS)
      if (words[0]?.includes('.')) writeFileSync(join(folder, words[0]), text);
    server = await configuredServer(`auth: { api_keys: [{ name: shop, key: ${KEY} }] }\n`, {}, folder);
    await rpcOf(server.url, KEY)('OpenPublic', { name: 'public:shop.news' });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function run(command: string, key: string): ShellProcess {
    const env = {
      ...cleanEnv(),
      MSG_KEY: key,
      MSG_URL: server.url,
      NODE_OPTIONS: '--conditions=msg-source --disable-warning=ExperimentalWarning',
      // What Go has compiled before.
      GOCACHE: process.env['GOCACHE'] ?? join(homedir(), '.cache/go-build'),
    };
    return new ShellProcess(command, { cwd: folder, env });
  }

  it('has six languages', () => {
    expect(COMMANDS.map(command => command.split(' ')[0])).toEqual([
      'node',
      'python3',
      'php',
      'go',
      'ruby',
      'java',
    ]);
  });

  describe.for(COMMANDS)('%s', command => {
    it.skipIf(!isThere(command))(
      'publishes, and is refused with another key',
      { timeout: 240_000 },
      async () => {
        const backend = run(command, KEY);
        await backend.succeeded();
        offset++;
        expect(backend.stdout).toMatch(new RegExp(`offset\\W+${offset}\\b`));
        const refused = run(command, WRONG);
        await refused.succeeded().catch(() => {}); // some fail, some print the answer
        expect(refused.stdout).not.toMatch(/offset\W+\d/);
        expect(refused.stdout + refused.stderr).not.toContain(WRONG);
      },
    );
  });
});
