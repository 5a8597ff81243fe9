import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawHost } from '../host.ts';

const PAGES = ['docs/dash/mcp.md', 'packages/dash/README.md']
  .map(page => readFileSync(fileURLToPath(new URL(`../../../../../${page}`, import.meta.url)), 'utf8'))
  .join('\n');

/** Command and arguments of every host that the pages show. */
const hosts = [...PAGES.matchAll(/^```(json|toml) elsewhere a file of the host\n([\s\S]*?)^```$/gm)].map(
  ([, kind, text = '']) => (kind === 'toml' ? fromToml(text) : fromJson(JSON.parse(text))),
);

interface Started {
  readonly command: string;
  readonly args: readonly string[];
}

function fromJson(config: Record<string, { dash: Started }>): Started {
  return (Object.values(config)[0] as { dash: Started }).dash;
}

function fromToml(text: string): Started {
  const value = (name: string) => JSON.parse(new RegExp(`^${name} = (.*)$`, 'm').exec(text)?.[1] ?? 'null');
  return { command: value('command') as string, args: value('args') as string[] };
}

describe('the configurations of hosts in the documentation', () => {
  let root: string;

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'dash-hosts-'));
    execFileSync('git', ['init', '-q', root]);
  });

  afterAll(() => rmSync(root, { recursive: true }));

  it('are several, each with absolute paths, short answers and links', () => {
    expect(hosts.length).toBeGreaterThanOrEqual(5);
    // A page with another configuration would not be in the list.
    expect(hosts).toHaveLength([...PAGES.matchAll(/"?args"?(?: =|:) \["mcp"/g)].length);
    for (const { command, args } of hosts) {
      expect(command).toMatch(/^\/.*\/dashdoc$/);
      expect(args).toEqual(expect.arrayContaining(['--preview', 'changed', '--review-url']));
    }
  });

  it.each(hosts.map((host, index) => [index, host] as const))(
    'number %i starts and lists ten tools',
    async (_index, { args }) => {
      const [, ...words] = args.map(word => (word === '/srv/dashboards' ? root : word));
      const host = new RawHost(words, '/');
      await host.initialize();
      const { result } = await host.request('tools/list');
      expect(result?.['tools']).toHaveLength(10);
      const manifest = (await host.tool('dash_get_manifest')).structuredContent;
      expect(manifest).toMatchObject({ capabilities: { reviewUrl: 'http://127.0.0.1:8080' } });
      expect((await host.hangUp()).status).toBe(0);
    },
  );

  it.each([
    [['--preview', 'some'], '--preview'],
    [['--review-url', 'here'], '--review-url'],
    [['--review-url', 'ftp://example.org'], '--review-url'],
    [['--review-url', 'http://user:secret@example.org'], '--review-url'],
    [['--review-url', 'http://example.org/?token=1'], '--review-url'],
    [['--review-url', 'http://example.org/#x'], '--review-url'],
  ])('a start with %j is a usage error', async (words, flag) => {
    const host = new RawHost([...words, '--root', root, '--json']);
    expect((await host.ended).status).toBe(2);
    expect(JSON.parse(host.stderr)).toMatchObject({ code: 'CLI_INVALID', details: { argument: flag } });
    expect(host.stderr).not.toContain('secret');
    expect(host.stdout).toBe('');
  });
});
