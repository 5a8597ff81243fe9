import { MsgError } from '@msg/core';
import { isRecord } from '@msg/foundation/json';
import type { TokenPair } from './stores/token-store.ts';

/** Unix seconds; int64 of the RPC may come as text. */
type Seconds = number | string;

/** The answer of CreatePrivate, IssueAccess or RefreshToken, in the spelling of the RPC or in camelCase. */
export type ClientCredentials =
  | {
      readonly access_token: string;
      readonly access_expires_unix: Seconds;
      /** Absent: the credentials end with the access token. */
      readonly refresh_token?: string;
      readonly refresh_expires_unix?: Seconds;
    }
  | {
      readonly accessToken: string;
      readonly accessExpiresUnix: Seconds;
      readonly refreshToken?: string;
      readonly refreshExpiresUnix?: Seconds;
    };

/** Unix seconds from a number, a numeric string or a date; 0 for anything else. */
function seconds(value: unknown): number {
  const isDate = typeof value === 'string' && !/^\d+$/.test(value);
  return Math.floor(isDate ? Date.parse(value) / 1000 : Number(value)) || 0;
}

/** Reads credentials in either spelling; `undefined` without an access token and its expiry. */
export function readCredentials(value: unknown): TokenPair | undefined {
  if (!isRecord(value)) return undefined;
  const member = (name: string): unknown =>
    value[name] ?? value[name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())];
  const text = (name: string): string => {
    const content = member(name);
    return typeof content === 'string' ? content : '';
  };
  const accessToken = text('access_token');
  const accessExp = seconds(member('access_expires_unix')) || seconds(member('expires_at'));
  if (!accessToken || !accessExp) return undefined;
  return {
    accessToken,
    refreshToken: text('refresh_token'),
    accessExp,
    refreshExp: seconds(member('refresh_expires_unix')),
  };
}

/** The pair of the application's credentials. @throws MsgError MSG_INVALID_ARGUMENT */
export function credentialsPair(credentials: unknown, source: string): TokenPair {
  const pair = readCredentials(credentials);
  if (pair !== undefined) return pair;
  throw new MsgError(
    'MSG_INVALID_ARGUMENT',
    `${source} must be the answer of CreatePrivate, IssueAccess or RefreshToken, with access_token and access_expires_unix`,
  );
}
