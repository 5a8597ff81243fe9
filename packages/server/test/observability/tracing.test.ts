import { MsgError } from '@msg/core';
import { systemClock } from '@msg/foundation/clock';
import { WebhookReceiver } from '@msg/testkit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { silentLogger } from '#src/observability/logger.ts';
import { OtlpTracing, tracesUrl } from '#src/observability/tracing/otlp.ts';
import { tracedLogger } from '#src/observability/tracing/traced-logger.ts';
import { type ReceivedSpan, readOtlp } from '../support/otlp.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const spec = (name: string) => ({ name, kind: 'internal' as const, attributes: { 'msg.test': true } });

describe('spans over OTLP', () => {
  let collector: WebhookReceiver;
  let endpoint: string;
  let tracing: OtlpTracing;

  beforeEach(async () => {
    collector = new WebhookReceiver({ status: 200, headers: { 'content-type': 'application/x-protobuf' } });
    endpoint = await collector.listen();
    tracing = new OtlpTracing({
      endpoint,
      version: 'v1',
      region: '',
      logger: silentLogger,
      clock: systemClock,
    });
  });
  afterEach(async () => {
    await tracing.stop();
    await collector.close();
  });

  const sent = async (): Promise<ReceivedSpan[]> => {
    await tracing.stop();
    return collector.received.flatMap(({ bytes }) => readOtlp(bytes));
  };

  test('headers for the collector come from the environment', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'authorization=Bearer%20of-the-collector');
    try {
      const other = new OtlpTracing({
        endpoint,
        version: 'v1',
        region: '',
        logger: silentLogger,
        clock: systemClock,
      });
      await other.span(spec('sent'), async () => {});
      await other.stop();
    } finally {
      vi.unstubAllEnvs();
    }
    expect(collector.received[0]?.headers['authorization']).toBe('Bearer of-the-collector');
  });

  test('work inside of work is a span below it, also after waiting; work beside it has no parent', async () => {
    await tracing.span(spec('outer'), async () => {
      await new Promise(resolve => setImmediate(resolve));
      await Promise.all([
        tracing.span(spec('left'), async () => {}),
        tracing.step(spec('right'), async () => {}),
      ]);
    });
    await tracing.step(spec('alone'), async () => expect(tracing.current).toBeUndefined());
    const spans = await sent();
    expect(spans.map(({ name }) => name).toSorted()).toEqual(['left', 'outer', 'right']);
    const outer = spans.find(({ name }) => name === 'outer');
    for (const { name, parentSpanId, traceId } of spans) {
      expect([parentSpanId, traceId]).toEqual([name === 'outer' ? '' : outer?.spanId, outer?.traceId]);
    }
  });

  test('a failure is named by its code, never by its text, and reaches the caller', async () => {
    const failing = (error: unknown) => tracing.span(spec('failing'), () => Promise.reject(error));
    await expect(failing(new MsgError('MSG_RATE_LIMITED', 'secret text'))).rejects.toThrow('secret text');
    await expect(failing(new TypeError('secret text'))).rejects.toThrow('secret text');
    const spans = await sent();
    expect(spans.map(({ failed, attributes }) => [failed, attributes['error.type']])).toEqual([
      [true, 'MSG_RATE_LIMITED'],
      [true, 'TypeError'],
    ]);
    expect(collector.received.map(({ body }) => body).join('')).not.toContain('secret text');
  });

  test.each([
    ['a sampled parent', `00-${TRACE}-${PARENT}-01`, TRACE, 1],
    ['a later version with more members', `cc-${TRACE}-${PARENT}-01-more`, TRACE, 1],
    ['a parent that is not sampled', `00-${TRACE}-${PARENT}-00`, TRACE, 0],
    ['the forbidden version', `ff-${TRACE}-${PARENT}-01`, 'new', 1],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`, 'new', 1],
    ['a parent of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`, 'new', 1],
    ['upper case', `00-${TRACE.toUpperCase()}-${PARENT}-01`, 'new', 1],
    ['nonsense', 'nonsense', 'new', 1],
  ])('%s', async (_title, traceparent, trace, count) => {
    const span = tracing.begin(spec('server'), { traceparent });
    expect(span.traceId === TRACE).toBe(trace === TRACE);
    expect(span.traceparent).toMatch(new RegExp(`^00-${span.traceId}-[0-9a-f]{16}-0${count}$`));
    span.end({ failed: false, attributes: {} });
    const spans = await sent();
    expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual(
      count === 0 ? [] : [trace === TRACE ? PARENT : ''],
    );
  });

  test('a record is written with the trace it belongs to', async () => {
    const records: unknown[] = [];
    const write = (fields: object) => records.push(fields);
    const logger = tracedLogger({ info: write, warn: write, error: write }, tracing);
    const span = tracing.begin(spec('server'), { traceparent: `00-${TRACE}-${PARENT}-01` });
    tracing.within(span, () => logger.warn({ inside: true }, ''));
    logger.warn({ inside: false }, '');
    expect(records).toEqual([{ inside: true, trace_id: TRACE }, { inside: false }]);
  });
});

describe('the reader of the tests, by the definitions of the protocol', () => {
  const field = (number: number, content: readonly number[]) => [
    (number << 3) | 2,
    content.length,
    ...content,
  ];
  const ids = [...field(1, Array(16).fill(1)), ...field(2, Array(8).fill(2))];
  const span = [...ids, 0x30, 2];
  const request = (content: readonly number[]) =>
    Uint8Array.from(field(1, [...field(1, []), ...field(2, field(2, content))]));

  test('takes what the definitions say', () => {
    expect(readOtlp(request(span))).toMatchObject([{ traceId: '01'.repeat(16), kind: 'server' }]);
  });

  test.each([
    ['a field that is not defined', [...span, 0x9a, 0x06, 0], 'a field that'],
    ['an id that is too short', [...field(1, [1]), ...field(2, Array(8).fill(2))], 'no id of 16 bytes'],
    ['a kind that is not defined', [...ids, 0x30, 9], 'no kind of span'],
    ['a name that is a number', [...span, 0x28, 1], 'index out of range'],
  ])('refuses %s', (_title, content, message) => {
    expect(() => readOtlp(request(content))).toThrow(message);
  });

  test('refuses JSON', () => {
    expect(() => readOtlp(Buffer.from('{"resourceSpans":[]}'))).toThrow();
  });
});

test.each([
  ['http://collector:4318', 'http://collector:4318/v1/traces'],
  ['http://collector:4318/', 'http://collector:4318/v1/traces'],
  ['https://collector/otlp/', 'https://collector/otlp/v1/traces'],
  ['https://collector/v1/traces', 'https://collector/v1/traces'],
])('traces for %s go to %s', (endpoint, url) => {
  expect(tracesUrl(endpoint)).toBe(url);
});
