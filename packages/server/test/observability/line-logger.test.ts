import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainLogger } from '#src/observability/line-logger.ts';
import { generalLogger } from '#src/observability/process-logger.ts';

const time = ',"time":"2026-01-02T03:04:05.678Z"';
const text = fc.string({ unit: 'binary' }).filter(value => value.isWellFormed());
const value = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.array(text),
  fc.dictionary(text, text),
);
// Pino has forms of its own for `err` and `msg`.
const name = text.filter(member => !['__proto__', 'err', 'msg', 'toJSON'].includes(member));

test('a thread writes records as the general logger does', () => {
  const levels = fc.constantFrom('info' as const, 'warn' as const, 'error' as const);
  fc.assert(
    fc.property(levels, fc.dictionary(name, value), text, (level, fields, message) => {
      const written: string[] = [];
      const target = { write: (line: string) => written.push(line) };
      for (const logger of [generalLogger, plainLogger]) logger(target, () => time)[level](fields, message);
      expect(written[1]).toBe(written[0]);
    }),
  );
});

test('a record that is no JSON says why, with its message', () => {
  const fields: Record<string, unknown> = {};
  fields['self'] = fields;
  const written: string[] = [];
  plainLogger({ write: line => written.push(line) }, () => time).error(fields, 'a failure');
  expect(JSON.parse(written[0] ?? '')).toMatchObject({
    level: 'error',
    error: expect.stringContaining('TypeError: '),
    msg: 'a failure',
  });
});
