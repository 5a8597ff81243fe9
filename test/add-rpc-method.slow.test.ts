import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MsgServer, runMsg, startMsg } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RepositoryCopy } from './support/copy.ts';
import { blocksOf, isRepositoryStep, readPage } from './support/pages.ts';

const PAGE = 'docs/how-to-add-an-rpc-method.md';
const PACKAGES = ['foundation', 'protocol', 'redis', 'engine', 'core', 'command-line', 'console', 'server'];

describe(`${PAGE}, in a copy`, { timeout: 180_000 }, () => {
  let copy: RepositoryCopy;
  let server: MsgServer;
  const steps = blocksOf(readPage(PAGE)).filter(isRepositoryStep);

  const count = async (
    state: string,
    bearer: string,
  ): Promise<{ status: number; body: { count?: number } }> => {
    const answer = await fetch(`${server.url}/twirp/msg.MsgService/CountChannels`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ state }),
    });
    return { status: answer.status, body: (await answer.json()) as { count?: number } };
  };
  const msg = (...args: string[]) =>
    runMsg(args, { program: copy.msg, env: { MSG_SERVER: server.url, MSG_TOKEN: server.token } });
  /** Writes the pages in the copy, from its own tables. */
  const writePages = (): void => {
    execFileSync(process.execPath, ['--conditions=msg-source', 'scripts/write-reference.ts'], {
      cwd: copy.root,
      stdio: 'pipe',
    });
  };

  beforeAll(() => {
    copy = new RepositoryCopy(
      [...PACKAGES, 'testkit', 'client', 'dash', 'codegen'],
      ['scripts', 'docs', 'test', 'conformance'],
    );
  });
  afterAll(async () => {
    await server?.stop();
    copy.remove();
  });

  it('the row alone is refused by the compiler, which names what lacks', () => {
    const inCore = steps.filter(({ words: [path] }) => path?.startsWith('packages/core/'));
    for (const step of inCore) copy.follow(step);
    expect(copy.typeErrors('server')).toContain("Property 'CountChannels' is missing");
    for (const step of steps) if (!inCore.includes(step)) copy.follow(step);
    expect(copy.typeErrors('server')).toBe('');
  });

  it('the route, its access rule and the command are there', async () => {
    server = await startMsg({ program: copy.msg });
    const { status, body } = await count('open', server.token);
    const before = body.count ?? 0;
    await msg('channels', 'open', 'public:shop.news', 'public:shop.status');
    expect([status, await count('open', server.token)]).toEqual([
      200,
      { status: 200, body: { count: before + 2 } },
    ]);
    expect(await count('closed', server.token)).toEqual({ status: 200, body: { count: 0 } });
    expect((await count('open', 'no token')).status).toBe(401);

    const { code, stdout } = await msg('channels', 'count', 'open');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { kind: 'msg.channels.count', payload: { state: 'open', count: before + 2 } },
    ]);
    expect((await msg('channels', '--help')).stdout).toContain('how many channels there are');
  });

  it('the reference pages and the OpenAPI document have it', () => {
    writePages();
    const page = (path: string): string => readFileSync(join(copy.root, path), 'utf8');
    expect(page('docs/rpc.md')).toContain('## CountChannels\n\nHow many channels there are.');
    expect(page('docs/cli.md')).toContain('msg channels count [state]');
    const program =
      "import { openApiDocument } from './packages/core/src/rpc/openapi.ts'; console.log(JSON.stringify(openApiDocument({ version: '1' })))";
    const text = execFileSync(
      process.execPath,
      ['--conditions=msg-source', '--input-type=module', '-e', program],
      {
        cwd: copy.root,
        encoding: 'utf8',
      },
    );
    expect(JSON.parse(text).paths['/twirp/msg.MsgService/CountChannels']).toMatchObject({
      post: { operationId: 'CountChannels' },
    });
  });
});
