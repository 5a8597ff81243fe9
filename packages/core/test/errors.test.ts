import { describe, expect, test } from 'vitest';
import { CODE_TABLE, codeOfTwirp, isMsgCode, type MsgCode } from '#src/codes.ts';
import { MsgError, toMsgError } from '#src/errors.ts';
import { badRoute, errorOfAnswer, MalformedRequest, twirpError } from '#src/rpc/twirp.ts';

describe('the code table', () => {
  // Messaging details 1.4 and 10.2, written out once more so that a slip in the table shows.
  test.each<[MsgCode, string, number, number | null]>([
    ['MSG_CHANNEL_INVALID', 'invalid_argument', 400, 107],
    ['MSG_INVALID_ARGUMENT', 'invalid_argument', 400, 107],
    ['MSG_CHANNEL_TTL_EXCEEDS_MAX', 'invalid_argument', 400, null],
    ['MSG_CHANNEL_NOT_FOUND', 'not_found', 404, 102],
    ['MSG_SINK_DLQ_NOT_FOUND', 'not_found', 404, null],
    ['MSG_CHANNEL_EXISTS', 'already_exists', 409, null],
    ['MSG_CHANNEL_CLOSED', 'failed_precondition', 412, 102],
    ['MSG_SINK_RECIPIENT_DECODE', 'failed_precondition', 412, null],
    ['MSG_SINK_RECIPIENT_GONE', 'failed_precondition', 412, null],
    ['MSG_AUTH_DENIED', 'permission_denied', 403, 103],
    ['MSG_AUTH_EXPIRED', 'unauthenticated', 401, 109],
    ['MSG_RATE_LIMITED', 'resource_exhausted', 429, 111],
    ['MSG_BROKER_NOT_READY', 'unavailable', 503, 100],
    ['MSG_SINK_UNAVAILABLE', 'unavailable', 503, null],
    ['MSG_SINK_DLQ_OVERFLOW', 'unavailable', 503, null],
    ['MSG_BROKER_INTERNAL', 'internal', 500, 100],
    ['MSG_SINK_CONFIG_INVALID', 'internal', 500, null],
    ['MSG_INTERNAL', 'internal', 500, 100],
  ])('%s is %s, HTTP %d, %s on the wire', (code, twirp, status, wire) => {
    const error = new MsgError(code, 'text');
    expect([error.twirp, error.status, CODE_TABLE[code].wire]).toEqual([twirp, status, wire]);
  });

  test('only what is retryable may be temporary: no permanent refusal has wire code 100', () => {
    for (const row of Object.values(CODE_TABLE)) {
      if (row.wire === 100 || row.wire === 111) expect(row.retryable).toBe(true);
    }
  });

  test('a missing bearer is MSG_AUTH_DENIED with 401', () => {
    const error = MsgError.unauthenticated('missing bearer token');
    expect([error.code, error.twirp, error.status]).toEqual(['MSG_AUTH_DENIED', 'unauthenticated', 401]);
  });

  test('names of the object prototype are not codes', () => {
    expect(isMsgCode('toString')).toBe(false);
    expect(codeOfTwirp('constructor')).toBe('MSG_INTERNAL');
  });
});

describe('Twirp errors', () => {
  test('a coded error keeps code and text', () => {
    expect(twirpError(new MsgError('MSG_CHANNEL_NOT_FOUND', 'channel public:a.b is not known'))).toEqual({
      status: 404,
      body: {
        code: 'not_found',
        msg: 'channel public:a.b is not known',
        meta: { code: 'MSG_CHANNEL_NOT_FOUND' },
      },
    });
  });

  test('an uncoded error shows its class and nothing else', () => {
    expect(twirpError(new TypeError('secret detail'))).toEqual({
      status: 500,
      body: { code: 'internal', msg: 'internal error', meta: { code: 'MSG_INTERNAL', cause: 'TypeError' } },
    });
  });

  test('malformed and bad_route', () => {
    expect(twirpError(new MalformedRequest())).toMatchObject({
      status: 400,
      body: { code: 'malformed', meta: { code: 'MSG_INVALID_ARGUMENT' } },
    });
    expect(badRoute('GET', '/x')).toMatchObject({
      status: 404,
      body: { code: 'bad_route', meta: { twirp_invalid_route: 'GET /x' } },
    });
  });

  test.each<[number, unknown, MsgCode]>([
    [404, { code: 'not_found', msg: 'x', meta: { code: 'MSG_CHANNEL_NOT_FOUND' } }, 'MSG_CHANNEL_NOT_FOUND'],
    [412, { code: 'failed_precondition', msg: 'x', meta: { code: 'OTHER' } }, 'MSG_CHANNEL_CLOSED'],
    [400, { code: 'malformed', msg: 'x' }, 'MSG_INVALID_ARGUMENT'],
    [401, { code: 'unauthenticated', msg: 'x' }, 'MSG_AUTH_EXPIRED'],
    [418, { code: 'teapot', msg: 'x' }, 'MSG_INTERNAL'],
    [403, undefined, 'MSG_AUTH_DENIED'],
    [404, '<html>', 'MSG_CHANNEL_NOT_FOUND'],
    [429, null, 'MSG_RATE_LIMITED'],
    [502, undefined, 'MSG_BROKER_NOT_READY'],
  ])('HTTP %d with %j is %s to a client', (status, body, code) => {
    expect(errorOfAnswer(status, body).code).toBe(code);
  });

  test('an uncoded failure is wrapped once', () => {
    const coded = new MsgError('MSG_CHANNEL_CLOSED', 'x');
    expect(toMsgError(coded)).toBe(coded);
    expect(toMsgError(new Error('y'))).toMatchObject({ code: 'MSG_INTERNAL' });
  });
});
