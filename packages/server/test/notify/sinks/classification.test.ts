import { MsgError } from '@msg/core';
import { expect, test } from 'vitest';
import { isTransient } from '#src/notify/sinks/classification.ts';
import { terminal, transient } from '#src/notify/sinks/failure.ts';

const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code });
const caused = (cause: unknown) => new Error('delivery failed', { cause });
const named = (name: string) => Object.assign(new Error('x'), { name });
const circle = new Error('round');
circle.cause = circle;

test.each([
  ['marked transient', transient(new Error('550 no')), true],
  ['marked terminal', terminal(coded('ECONNRESET')), false],
  ['marked, as a cause', caused(transient(new Error('no'))), true],
  ['marked terminal around a transient one', terminal(transient(new Error('x'))), false],
  ['refused', coded('ECONNREFUSED'), true],
  ['reset', coded('ECONNRESET'), true],
  ['broken pipe', coded('EPIPE'), true],
  ['name resolution', coded('EAI_AGAIN'), true],
  ['name not found', coded('ENOTFOUND'), true],
  ['fetch', Object.assign(new TypeError('fetch failed'), { cause: coded('ECONNREFUSED') }), true],
  ['fetch, whose words alone say nothing', new TypeError('fetch failed'), false],
  ['a certificate', caused(coded('DEPTH_ZERO_SELF_SIGNED_CERT')), true],
  ['a programming error', new TypeError('x is not a function'), false],
  ['undici', coded('UND_ERR_SOCKET'), true],
  ['a bad URL', coded('ERR_INVALID_URL'), true],
  ['a network error as a cause of a cause', caused(caused(coded('ETIMEDOUT'))), true],
  ['a time-out of the sink', named('TimeoutError'), true],
  ['an abort that the caller did not ask for', named('AbortError'), true],
  ['http 429', new Error('http 429 slow down'), true],
  ['HTTP 503', new Error('HTTP 503'), true],
  ['http 404', new Error('http 404'), false],
  ['http 5000', new Error('http 5000'), false],
  ['webhook 500', new Error('webhook returned 500 Internal Server Error'), true],
  ['Webhook 429', new Error('Webhook Returned 429'), true],
  ['webhook 302', new Error('webhook returned 302 Found'), false],
  ['slack 502', new Error('slack webhook returned 502'), true],
  ['slack 400', new Error('slack webhook returned 400'), false],
  ['not at the beginning', new Error('it said http 503'), false],
  ['smtp 421', new Error('421 try later'), true],
  ['smtp 450', new Error('SMTP 450 4.2.0 greylisted'), true],
  ['smtp 550', new Error('550 no such user'), false],
  ['four digits', new Error('4500 items'), false],
  ['bad recipient', new MsgError('MSG_INVALID_ARGUMENT', 'the recipient must be an object'), false],
  ['anything else', new Error('no'), false],
  ['a text', 'http 503', true],
  ['another text', 'no', false],
  ['nothing', undefined, false],
  ['a circle of causes', circle, false],
])('%s', (_, error, expected) => {
  expect(isTransient(error, false)).toBe(expected);
});

test('after an abort by the caller only a mark makes a failure transient', () => {
  expect(isTransient(coded('ECONNRESET'), true)).toBe(false);
  expect(isTransient(named('TimeoutError'), true)).toBe(false);
  expect(isTransient(transient(new Error('x')), true)).toBe(true);
});

test('marks keep text and code, and are coded themselves', () => {
  expect(transient(new Error('busy'))).toMatchObject({ message: 'busy', code: 'MSG_SINK_UNAVAILABLE' });
  expect(terminal(new MsgError('MSG_INTERNAL', 'no'))).toMatchObject({ message: 'no', code: 'MSG_INTERNAL' });
  expect(terminal('text').message).toBe('text');
});
