import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../../../../', import.meta.url));

/** Runs a program; answers the modules of threads that it loaded, and how many it loaded in all. */
function loadedBy(body: string): { readonly threads: string[]; readonly count: number } {
  const program = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
${body}
console.log(JSON.stringify(loaded));`;
  const flags = ['--conditions=msg-source', '--disable-warning=ExperimentalWarning', '--input-type=module'];
  const output = execFileSync(process.execPath, [...flags, '--eval', program], {
    cwd: REPOSITORY,
    encoding: 'utf8',
  });
  const urls = JSON.parse(output) as string[];
  return { threads: urls.filter(url => /\/src\/(?:\w+\/)?threads\//.test(url)), count: urls.length };
}

it('a node of one thread loads nothing of threads', () => {
  const { threads, count } = loadedBy(`
const { RealtimeNode } = await import('@msg/engine');
const node = new RealtimeNode({ policy: { streamOptions: () => ({ size: 1, ttlMs: 1000 }) } });
await node.start();
await node.publish('news', Buffer.from('{}'));
await node.shutdown();`);
  expect(threads).toEqual([]);
  expect(count).toBeGreaterThan(50);
});

it.each(['@msg/engine/redis', '@msg/server'])('%s loads nothing of threads', entry => {
  expect(loadedBy(`await import('${entry}');`).threads).toEqual([]);
});

it('the entry of threads loads them', () => {
  const { threads } = loadedBy(`await import('@msg/engine/threads');`);
  expect(threads.length).toBeGreaterThan(20);
});
