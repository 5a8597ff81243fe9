import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HTTP_REQUEST, HttpRequestLine } from '#src/observability/http-request-line.ts';
import { generalLogger } from '#src/observability/process-logger.ts';

const time = ',"time":"2026-01-02T03:04:05.678Z"';

// Half a surrogate pair is no text: pino writes it differently under different Node versions.
const text = fc
  .oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('', '"', '\\', '\n', '\u2028'))
  .filter(value => value.isWellFormed());

test('the line of a request is the one that the general logger writes', () => {
  const record = fc.record({
    method: text,
    path: text,
    status: fc.integer({ min: 100, max: 599 }),
    duration_ms: fc.integer({ min: 0, max: 2 ** 45 }).map(hundredths => hundredths / 100),
    remote_addr: text,
    request_id: text,
    bearer_subject: text,
    trace_id: text,
  });
  fc.assert(
    fc.property(record, members => {
      const written: string[] = [];
      generalLogger({ write: line => written.push(line) }, () => time).info(members, HTTP_REQUEST);
      const line = new HttpRequestLine(time, members);
      // Twice: what was written last is remembered.
      expect([String(line), String(line)]).toEqual([written[0], written[0]]);
    }),
  );
});

test('a line knows about how long it will be', () => {
  const [method, path, remote_addr] = ['GET', '/x'.repeat(5000), '127.0.0.1'];
  const names = { request_id: 'r'.repeat(24), bearer_subject: 's', trace_id: '' };
  const line = new HttpRequestLine(time, {
    method,
    path,
    status: 200,
    duration_ms: 1,
    remote_addr,
    ...names,
  });
  expect(Math.abs(line.length - String(line).length)).toBeLessThan(20);
});
