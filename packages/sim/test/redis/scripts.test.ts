import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SCRIPTS } from '../../src/fuzz/draw-scripts.ts';
import { compile } from '../../src/redis/lua/script.ts';
import { request, TestState } from './connected.ts';

const PACKAGES = join(import.meta.dirname, '../../..');

function connected(): ReturnType<TestState['connect']> {
  return new TestState({ compile }).connect();
}

describe('a script on the simulated Redis', () => {
  it('is compared with a real server, each of the repository', () => {
    const compared = new Set(SCRIPTS.flatMap(({ files }) => files));
    expect([...compared].toSorted()).toEqual(globSync('*/src/**/*.lua', { cwd: PACKAGES }).toSorted());
  });

  it('keeps what it wrote before a command failed', () => {
    const client = connected();
    const source =
      "redis.call('SET', KEYS[1], 'text') redis.call('INCR', KEYS[1]) redis.call('DEL', KEYS[1])";
    expect(client.ask('EVAL', source, '1', 'key')).toMatch(
      /^-ERR value is not an integer or out of range script: /,
    );
    expect(client.ask('GET', 'key')).toBe('$4\r\ntext\r\n');
  });

  it('is forgotten after SCRIPT FLUSH', () => {
    const client = connected();
    const [, sha1 = ''] = /^\$40\r\n(\w{40})/.exec(client.ask('SCRIPT', 'LOAD', 'return 1')) ?? [];
    expect(client.ask('EVALSHA', sha1, '0')).toBe(':1\r\n');
    expect(client.ask('SCRIPT', 'EXISTS', sha1, 'other')).toBe('*2\r\n:1\r\n:0\r\n');
    client.ask('SCRIPT', 'FLUSH');
    expect(client.ask('EVALSHA', sha1, '0')).toMatch(/^-NOSCRIPT /);
  });

  it('may not subscribe, and what it asks for and is not there is noted by name', () => {
    const test = new TestState({ compile });
    const unknown: string[] = [];
    test.state.unknown = command => void unknown.push(command);
    const client = test.connect();
    expect(client.ask('EVAL', "return redis.call('SUBSCRIBE', 'news')", '0')).toMatch(
      /^-ERR This Redis command is not/,
    );
    expect(client.ask('EVAL', "return redis.pcall('BITCOUNT', 'key')", '0')).toMatch(
      /^-ERR Unknown Redis command/,
    );
    expect(unknown).toEqual(['bitcount']);
  });

  it('ends the run when it holds what is not translated', () => {
    const client = connected();
    expect(client.ask('EVAL', 'return (', '0')).toMatch(/^-ERR Error compiling script/);
    expect(() => client.session.receive(request(['EVAL', 'return setmetatable({}, {})', '0']))).toThrow();
  });
});
