import { describe, expect, it } from 'vitest';
import { MsgClient } from '#src/client.ts';
import { readCredentials } from '#src/credentials.ts';

const PAIR = { accessToken: 'a', refreshToken: 'r', accessExp: 1_900_000_000, refreshExp: 1_900_003_600 };

describe('credentials', () => {
  it.each([
    [
      'CreatePrivate and IssueAccess',
      {
        name: 'private:shop.order.1',
        access_token: 'a',
        refresh_token: 'r',
        access_expires_unix: 1_900_000_000,
        refresh_expires_unix: 1_900_003_600,
      },
    ],
    [
      'RefreshToken',
      {
        access_token: 'a',
        expires_at: '2030-03-17T17:46:40Z',
        access_expires_unix: '1900000000',
        refresh_token: 'r',
        refresh_expires_unix: '1900003600',
        rotated: true,
      },
    ],
    [
      'a backend that answers in camelCase',
      {
        accessToken: 'a',
        refreshToken: 'r',
        accessExpiresUnix: 1_900_000_000,
        refreshExpiresUnix: 1_900_003_600,
      },
    ],
    [
      'an issuer that says the end as a date',
      {
        access_token: 'a',
        expires_at: '2030-03-17T17:46:40Z',
        refresh_token: 'r',
        refresh_expires_unix: 1_900_003_600,
      },
    ],
  ])('are read as %s spells them', (_, credentials) => {
    expect(readCredentials(credentials)).toEqual(PAIR);
  });

  it('may have no refresh token', () => {
    const access = {
      access_token: 'a',
      access_expires_unix: 1_900_000_000,
      refresh_token: '',
      refresh_expires_unix: 0,
    };
    expect(readCredentials(access)).toEqual({ ...PAIR, refreshToken: '', refreshExp: 0 });
  });

  it.each([
    null,
    'a',
    [],
    {},
    { access_token: 'secret' },
    { access_token: 7, access_expires_unix: 1_900_000_000 },
    { access_token: 'secret', access_expires_unix: 'soon' },
  ])('%j is refused, and not shown', value => {
    expect(readCredentials(value)).toBeUndefined();
    const message =
      /^credentials must be the answer of CreatePrivate, IssueAccess or RefreshToken, with access_token and access_expires_unix$/;
    const refusal = expect.objectContaining({
      code: 'MSG_INVALID_ARGUMENT',
      message: expect.stringMatching(message),
    });
    expect(() => new MsgClient({ endpoint: 'http://localhost', credentials: value as never })).toThrow(
      refusal,
    );
  });
});
