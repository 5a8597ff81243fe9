import { expect, test } from 'vitest';
import { terminalLine } from '#src/observability/terminal-line.ts';

test('a record becomes one line for people', () => {
  const record = {
    level: 'info',
    time: '2026-01-02T03:04:05.678Z',
    addr: ':8000',
    text: 'a b',
    n: 1,
    msg: 'listening',
  };
  expect(terminalLine(`${JSON.stringify(record)}\n`)).toBe(
    '2026-01-02T03:04:05.678Z INFO  listening addr=:8000 text="a b" n=1\n',
  );
});
