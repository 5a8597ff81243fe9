import {
  connectErrorRetries,
  DISCONNECT_CODES,
  DisconnectCode,
  disconnectReconnects,
  ERROR_CODES,
  ErrorCode,
  subscribeErrorRetries,
  UNSUBSCRIBE_CODES,
  UnsubscribeCode,
  unsubscribeResubscribes,
} from '@msg/protocol';
import { disconnectCodeRow, errorCodeRow, unsubscribeCodeRow } from '@msg/protocol/internal';
import { describe, expect, it } from 'vitest';

describe('error codes (client protocol 9.1)', () => {
  it('the table', () => {
    expect(
      ERROR_CODES.map(({ code, message, temporary }) => `${code} ${message}${temporary ? ' temporary' : ''}`),
    ).toEqual([
      '100 internal server error temporary',
      '101 unauthorized',
      '102 unknown channel',
      '103 permission denied',
      '104 method not found',
      '105 already subscribed',
      '106 limit exceeded',
      '107 bad request',
      '108 not available',
      '109 token expired',
      '110 expired',
      '111 too many requests temporary',
      '112 unrecoverable position',
      '113 concurrent pagination temporary',
    ]);
  });
  it('has a row for every name', () => {
    expect(ERROR_CODES.map(row => row.code)).toEqual(Object.values(ErrorCode));
    expect(errorCodeRow(ErrorCode.PermissionDenied)?.message).toBe('permission denied');
    expect(errorCodeRow(400)).toBeUndefined();
  });
  it.each([
    [100, true, true],
    [103, false, false],
    [109, false, true],
    [111, true, true],
    [3, false, true],
    [500, true, true],
    [500, false, false],
  ])('code %d, temporary %s: clients retry %s', (code, temporary, retries) => {
    expect(connectErrorRetries(code, temporary)).toBe(retries);
    expect(subscribeErrorRetries(code, temporary)).toBe(retries);
  });
});

describe('disconnect codes (client protocol 9.2)', () => {
  it('the table', () => {
    expect(
      DISCONNECT_CODES.map(
        ({ code, reason, reconnect }) => `${code} ${reason}${reconnect ? ' reconnect' : ''}`,
      ),
    ).toEqual([
      '3000 connection closed reconnect',
      '3001 shutdown reconnect',
      '3004 internal server error reconnect',
      '3005 connection expired reconnect',
      '3006 subscription expired reconnect',
      '3008 slow reconnect',
      '3009 write error reconnect',
      '3010 insufficient state reconnect',
      '3011 force reconnect reconnect',
      '3012 no pong reconnect',
      '3013 too many requests reconnect',
      '3014 state invalidated reconnect',
      '3500 invalid token',
      '3501 bad request',
      '3502 stale',
      '3503 force disconnect',
      '3504 connection limit',
      '3505 channel limit',
      '3506 inappropriate protocol',
      '3507 permission denied',
      '3508 not available',
      '3509 too many errors',
    ]);
  });
  it('has a row for every name; only 3000 is never sent', () => {
    expect(DISCONNECT_CODES.map(row => row.code)).toEqual(Object.values(DisconnectCode));
    expect(DISCONNECT_CODES.filter(row => !row.sent).map(row => row.code)).toEqual([3000]);
    expect(disconnectCodeRow(3501)?.reason).toBe('bad request');
    expect(disconnectCodeRow(4000)).toBeUndefined();
  });
  it('reasons fit a close frame and are not JSON', () => {
    for (const { reason } of DISCONNECT_CODES) {
      expect(reason.length).toBeGreaterThan(0);
      expect(reason.length).toBeLessThanOrEqual(123);
      expect(() => JSON.parse(reason)).toThrow();
    }
  });
  it.each([
    [1000, true],
    [1006, true],
    [1009, false],
    [2999, true],
    [3000, true],
    [3499, true],
    [3500, false],
    [3999, false],
    [4000, true],
    [4499, true],
    [4500, false],
    [4999, false],
    [5000, true],
  ])('%d: clients reconnect %s', (code, reconnects) => {
    expect(disconnectReconnects(code)).toBe(reconnects);
  });
});

describe('unsubscribe codes (client protocol 9.3)', () => {
  it('the table', () => {
    expect(
      UNSUBSCRIBE_CODES.map(({ code, reason, resubscribe, sent }) => [code, reason, resubscribe, sent]),
    ).toEqual([
      [0, 'client unsubscribed', false, false],
      [1, 'client disconnected', false, false],
      [2000, 'server unsubscribe', false, true],
      [2500, 'insufficient state', true, true],
      [2501, 'subscription expired', true, true],
      [2502, 'state invalidated', true, true],
    ]);
    expect(UNSUBSCRIBE_CODES.map(row => row.code)).toEqual(Object.values(UnsubscribeCode));
    expect(unsubscribeCodeRow(2500)?.resubscribe).toBe(true);
  });
  it.each([
    [2000, false],
    [2499, false],
    [2500, true],
    [2999, true],
  ])('%d: clients resubscribe %s', (code, resubscribes) => {
    expect(unsubscribeResubscribes(code)).toBe(resubscribes);
  });
});
