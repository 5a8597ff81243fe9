import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Host, Serve } from '../bench/agent/host.ts';
import { KnownWords } from '../bench/agent/provenance.ts';

interface Script {
  readonly tasks: readonly {
    readonly name: string;
    readonly mistake?: string;
    readonly steps: readonly { tool?: string; told?: boolean; expect: string; args?: object }[];
    readonly ends?: readonly object[];
  }[];
}

const scriptOf = (name: string): Script =>
  JSON.parse(readFileSync(`bench/agent/${name}.json`, 'utf8')) as Script;
const tasks = scriptOf('tasks');

it('an agent needs at most 30 calls and 20,000 tokens for ten tasks, from what it is told alone', () => {
  const output = execFileSync('npm', ['run', '--silent', 'bench', '--', 'agent'], { encoding: 'utf8' });
  expect(output).toMatch(/\| together \| \d+ \| \d+ \| \d+ \|/);
});

it('each task plants a mistake that one further call corrects', () => {
  const planted = tasks.tasks.filter(({ mistake }) => mistake !== undefined);
  expect(planted).toHaveLength(10);
  for (const { steps } of planted) {
    const faults = steps.filter(
      ({ tool, told, expect: end }) => (tool !== undefined && end !== 'ok') || told,
    );
    expect(faults).toHaveLength(1);
  }
});

it('the first skill is the only one that an agent reads, and each task has an end that is looked at', () => {
  const skills = tasks.tasks.flatMap(({ steps }) => steps.filter(({ tool }) => tool === 'dash_get_skill'));
  expect(skills.map(({ args }) => args)).toEqual([{ name: 'session-bootstrap' }]);
  for (const script of [tasks, scriptOf('tasks-before')]) {
    const [, ...others] = script.tasks;
    expect(others).toHaveLength(10);
    for (const { name, ends = [] } of others) expect(ends.length, name).toBeGreaterThan(0);
  }
});

it('a word, a field or a number of a call that stands nowhere before is found', () => {
  const known = new KnownWords();
  known.learn({ id: 'shop', path: '/', columns: [1, 2], text: 'the body has 12 panels' });
  expect(known.unknownIn({ id: 'shop', path: '/body/columns/1', text: 12 })).toEqual([]);
  expect(known.unknownIn({ id: 'shop', grid: [3], path: '/body/rows/7' })).toEqual([
    'grid',
    '3',
    'rows',
    '7',
  ]);
});

it('a program that ends early ends the run with its last words', async () => {
  const nowhere = join(tmpdir(), 'no-such-program.js');
  await expect(new Host(nowhere, []).initialize()).rejects.toThrow(
    /dashdoc mcp ended with 1: [\s\S]*Cannot find module/,
  );
  await expect(Serve.start(nowhere, tmpdir())).rejects.toThrow(
    /dashdoc serve ended with 1: [\s\S]*Cannot find module/,
  );
});
