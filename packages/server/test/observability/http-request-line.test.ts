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
    duration_ms: fc.integer({ min: -1000 }),
    remote_addr: text,
    request_id: text,
    bearer_subject: text,
    trace_id: text,
  });
  fc.assert(
    fc.property(record, members => {
      const written: string[] = [];
      generalLogger({ write: line => written.push(line) }, () => time).info(members, HTTP_REQUEST);
      expect(String(new HttpRequestLine(time, members))).toBe(written.join(''));
    }),
  );
});
