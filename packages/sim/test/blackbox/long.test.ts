import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@msg/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit.ts';
import type { Finished } from '../../src/cli/long/finished.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/long-main.ts');
const WORKERS = 2;
const state = mkdtempSync(join(tmpdir(), 'msg-long-'));
const journal = join(state, 'finished.jsonl');
afterAll(() => rmSync(state, { recursive: true }));

function start(until: string, ...more: string[]): ChildProcess {
  const where = ['--class', 'memory', '--state', state];
  const args = ['--until', until, '--workers', String(WORKERS), ...where, ...more];
  return spawn(process.execPath, ['--conditions=msg-source', MAIN, ...args], { stdio: 'ignore' });
}

function text(): string {
  return existsSync(journal) ? readFileSync(journal, 'utf8') : '';
}

function seeds(): number[] {
  const lines = text().split('\n').slice(0, -1);
  return lines.map(line => (JSON.parse(line) as Finished).seed);
}

/** Processes that a process has started. */
function childrenOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
}

describe('a campaign', () => {
  it('goes on after SIGKILL: nothing finished is played again, and only seeds under way are lost', {
    timeout: 240_000,
  }, async () => {
    const killed = start('time=1h', '--from', '1');
    await eventually('three seeds are finished', () => seeds().length >= 3, 200_000);
    const workers = childrenOf(killed.pid ?? 0);
    expect(workers).toHaveLength(WORKERS);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const before = text();
    const finished = seeds();
    // What was handed out and is not finished was under way.
    expect(Math.max(...finished)).toBeLessThanOrEqual(finished.length + WORKERS);
    const haveEnded = (): boolean => workers.every(pid => !existsSync(`/proc/${pid}`));
    await eventually('the workers have ended', haveEnded, 200_000);
    expect(text()).toBe(before);

    const next = start('time=1s');
    const [exit] = await once(next, 'exit');
    expect(exit).toBe(EXIT.clean);
    expect(text().startsWith(before)).toBe(true);
    const all = seeds();
    expect(all.length).toBeGreaterThanOrEqual(finished.length + WORKERS);
    expect(all.toSorted((a, b) => a - b)).toEqual(all.map((_, i) => i + 1));
  });

  it('begins with the seed that it is told, and refuses another one for the same folder', {
    timeout: 240_000,
  }, async () => {
    rmSync(state, { recursive: true });
    const [exit] = await once(start('time=1s', '--from', '1000'), 'exit');
    expect(exit).toBe(EXIT.clean);
    expect(Math.min(...seeds())).toBe(1000);
    const before = text();
    const [refused] = await once(start('time=1s', '--from', '2000'), 'exit');
    expect(refused).toBe(EXIT.badUse);
    expect(text()).toBe(before);
  });
});
