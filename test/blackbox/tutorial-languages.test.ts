import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnv, freePort, type MsgServer, ShellProcess, startMsg } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, ROOT, readPage } from '../support/pages.ts';

const blocks = blocksOf(readPage('docs/tutorial.md'));
const blockOf = (file: string): string => {
  const block = blocks.find(({ words }) => words[0] === file);
  if (block === undefined) throw new Error(`docs/tutorial.md has no ${file}`);
  return block.text;
};
/** The commands of the page that start with a program, whatever else their block is. */
const commandsOf = (start: string): readonly string[] =>
  blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) =>
      text
        .replaceAll('\\\n', ' ')
        .split('\n')
        .filter(line => line.startsWith(`${start} `)),
    );

interface Language {
  readonly name: string;
  /** What shows that the machine has it. */
  readonly probe: string;
  /** The program that asks, and how it is run. */
  readonly ask: readonly [file: string, command: string];
  readonly shop: readonly [file: string, command: string];
  /** Where the shop prints that it is open: PHP's server has a line of its own. */
  readonly open?: readonly [stream: 'stdout' | 'stderr', line: RegExp];
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'Node',
    probe: 'node --version',
    ask: ['ask.mjs', 'node ask.mjs'],
    shop: ['shop.mjs', 'node shop.mjs'],
  },
  {
    name: 'Python',
    probe: 'python3 --version',
    ask: ['ask.py', 'python3 ask.py'],
    shop: ['shop.py', 'python3 shop.py'],
  },
  {
    name: 'PHP',
    probe: 'php --version',
    ask: ['ask.php', 'php ask.php'],
    shop: ['shop.php', 'php -S localhost:9000 shop.php'],
    open: ['stderr', /Development Server \(\S+\) started\n/],
  },
  { name: 'Go', probe: 'go version', ask: ['ask.go', 'go run ask.go'], shop: ['shop.go', 'go run shop.go'] },
  {
    name: 'Ruby',
    probe: 'ruby --version',
    ask: ['ask.rb', 'ruby ask.rb'],
    shop: ['shop.rb', 'ruby shop.rb'],
  },
  {
    name: 'Java',
    probe: 'javac --version',
    ask: ['Ask.java', 'java Ask.java'],
    shop: ['Shop.java', 'java Shop.java'],
  },
];
const has = (probe: string): boolean => spawnSync('sh', ['-c', probe]).status === 0;

describe('the backend of the tutorial', () => {
  let server: MsgServer;
  let folder: string;
  let env: Record<string, string | undefined>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tutorial-'));
    const key = `msgk_${randomBytes(24).toString('hex')}`;
    const digest = createHash('sha256').update(key).digest('hex');
    const [, configuration = ''] =
      /cat > msg\.yaml <<END\n([\s\S]*?)END\n/.exec(readPage('docs/tutorial.md')) ?? [];
    writeFileSync(join(folder, 'msg.yaml'), configuration.replace('$DIGEST', digest));
    server = await startMsg({
      args: ['--config', join(folder, 'msg.yaml'), '--state-dir', join(folder, 'state')],
    });
    const GOCACHE = process.env['GOCACHE'] ?? join(homedir(), '.cache/go-build');
    env = { ...cleanEnv(), MSG_KEY: key, MSG_URL: server.url, GOCACHE };
  }, 60_000);
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A folder with the programs of a language, made for the ports of this run. */
  function programsOf({ name, ask, shop }: Language, port: number): string {
    const place = mkdtempSync(join(folder, `${name}-`));
    for (const file of [ask[0], shop[0], 'order.html']) {
      const text = blockOf(file)
        .replaceAll('http://localhost:8000', server.url)
        .replaceAll(/(?<=localhost:|[(] ?|", |', )9000/g, String(port))
        .replaceAll('shop.1042', `shop.${name.toLowerCase()}`);
      writeFileSync(join(place, file), text);
    }
    return place;
  }

  const run = async (cwd: string, command: string): Promise<string> => {
    const shell = new ShellProcess(command, { cwd, env });
    await shell.succeeded();
    return shell.stdout;
  };

  for (const language of LANGUAGES) {
    const { name, probe, ask, shop, open = ['stdout', /the shop is open\n/] } = language;
    // A machine without a language says so by the name of what it did not run.
    describe.skipIf(!has(probe))(`in ${name}`, { timeout: 120_000 }, () => {
      it('publishes, and asks for the tokens of a customer', async () => {
        const place = programsOf(language, 0);
        const [publish = '', credentials = ''] = commandsOf(ask[1]);
        expect(publish).toContain('api/publish');
        expect(await run(place, publish.replaceAll('shop.1042', `shop.${name.toLowerCase()}`))).toMatch(
          /^\{"result":\{"offset":1,/,
        );
        await run(place, credentials.replaceAll('order.1042', `order.${name.toLowerCase()}`));
        const answer = JSON.parse(readFileSync(join(place, 'credentials.json'), 'utf8'));
        expect(answer).toMatchObject({ name: `private:shop.order.${name.toLowerCase()}`, created: true });
        expect(answer.access_token).toMatch(/^eyJ/);
      });

      it('is a shop that answers the page, and takes the next step until there is none', async () => {
        const port = await freePort();
        const place = programsOf(language, port);
        expect(commandsOf(shop[1].split(' ').slice(0, -1).join(' ')).join('\n')).toContain(shop[1]);
        const program = new ShellProcess(`exec ${shop[1].replace('9000', String(port))}`, {
          cwd: place,
          env,
        });
        try {
          await program.printed(...open);
          const address = `http://localhost:${port}/`;
          const page = await fetch(address);
          expect(page.headers.get('content-type')).toContain('text/html');
          expect(await page.text()).toContain('<h1>Your order</h1>');
          const next = async (): Promise<unknown> => (await fetch(address, { method: 'POST' })).json();
          expect(await next()).toMatchObject({ result: { offset: 2 } });
          expect(await next()).toMatchObject({ result: { offset: 3 } });
          expect(await next()).toEqual({ done: true });
        } finally {
          await program.stop();
        }
      });
    });
  }

  it('has every command of every language at each step that talks to msg', () => {
    for (const { ask } of LANGUAGES) expect(commandsOf(ask[1])).toHaveLength(4);
  });
});

describe('the end of the tutorial', () => {
  const TEMPLATES = join(ROOT, 'packages/create-msg-app/templates');
  const files = blocks.filter(({ words: [path = ''] }) => /^(?:server|page|shared)\//.test(path));
  const sourceOf = (path: string): string | undefined =>
    ['orders/common', 'orders/vanilla', 'common'].map(part => join(TEMPLATES, part, path)).find(existsSync);

  it.each(files.map(({ words: [path = ''], text }) => [path, text]))(
    '%s is the one of the template `orders`',
    (path, text) => {
      expect(text).toBe(readFileSync(sourceOf(path) ?? path, 'utf8'));
    },
  );

  it('holds what the shop and its page are made of', () => {
    expect(files.map(({ words: [path] }) => path)).toEqual([
      'shared/order.ts',
      'server/routes.ts',
      'page/session.ts',
      'page/customer.ts',
      'page/shop.ts',
    ]);
  });
});
