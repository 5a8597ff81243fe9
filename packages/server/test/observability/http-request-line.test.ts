import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HTTP_REQUEST, HttpRequestLines } from '#src/observability/http-request-line.ts';
import { generalLogger } from '#src/observability/process-logger.ts';

const time = ',"time":"2026-01-02T03:04:05.678Z"';

// Half a surrogate pair is no text: pino writes it differently under different Node versions.
const text = fc
  .oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('', '"', '\\', '\n', '\u2028'))
  .filter(value => value.isWellFormed());

test('the line of a request is the one that the general logger writes', () => {
  const members = {
    method: text,
    path: text,
    status: fc.integer({ min: 100, max: 599 }),
    duration_ms: fc.integer({ min: 0, max: 2 ** 45 }).map(hundredths => hundredths / 100),
    remote_addr: text,
    request_id: text,
    bearer_subject: text,
    trace_id: text,
  };
  const record = fc.oneof(fc.record(members), fc.record({ ...members, reason: text }));
  const lines = new HttpRequestLines();
  fc.assert(
    fc.property(record, request => {
      const written: string[] = [];
      generalLogger({ write: line => written.push(line) }, () => time).info(request, HTTP_REQUEST);
      // Twice: what was written last is remembered.
      expect([lines.write(time, request), lines.write(time, request)]).toEqual([written[0], written[0]]);
    }),
  );
});
