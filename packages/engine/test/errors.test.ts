import { DISCONNECT_CODES, UNSUBSCRIBE_CODES } from '@msg/protocol';
import { describe, expect, it } from 'vitest';
import { Disconnect, disconnect, unsubscribe } from '#src/errors.ts';

const byCode = (a: { code: number }, b: { code: number }) => a.code - b.code;

describe('endings by name', () => {
  it('are the disconnects of the table, a new one each time', () => {
    const made = Object.values(disconnect).map(make => make());
    expect(made.every(error => error instanceof Disconnect)).toBe(true);
    expect(made.map(({ code, reason }) => ({ code, reason })).sort(byCode)).toEqual(
      DISCONNECT_CODES.map(({ code, reason }) => ({ code, reason })),
    );
    expect(disconnect.badRequest()).toMatchObject({ code: 3501, reason: 'bad request' });
    expect(disconnect.badRequest()).not.toBe(disconnect.badRequest());
  });

  it('are the unsubscribes of the table', () => {
    expect(Object.values(unsubscribe).sort(byCode)).toEqual(
      UNSUBSCRIBE_CODES.map(({ code, reason }) => ({ code, reason })),
    );
    expect(unsubscribe.subscriptionExpired).toEqual({ code: 2501, reason: 'subscription expired' });
  });
});
