import { readFileSync } from 'node:fs';
import * as protocol from '@msg/protocol';
import { describe, expect, it } from 'vitest';
import { text, utf8 } from './support/bytes.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

describe('README', () => {
  it('shows an example that works', () => {
    const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(README) ?? [];
    const [, names = ''] = /import \{(.*?)\}/.exec(code) ?? [];
    const body = code.replace(/^import .*$/m, `const {${names}} = protocol;`);
    const run = new Function('protocol', 'frame', 'payload', `${body}\nreturn answer;`);
    const frame = utf8('{"id":1,"subscribe":{"channel":"news"}}\n{"id":2,"rpc":{}}');
    expect(text(run(protocol, frame, utf8('{"n":1}')))).toBe(
      [
        '{"id":1,"subscribe":{"epoch":"abc","offset":1}}',
        '{"push":{"channel":"news","pub":{"data":{"n":1},"offset":2}}}',
        '{"id":2,"error":{"code":108,"message":"not available"}}',
      ].join('\n'),
    );
  });
});
