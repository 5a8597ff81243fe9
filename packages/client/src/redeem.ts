import { errorOfAnswer, MsgError } from '@msg/core';
import { addressOf } from './address.ts';
import { type Exchange, exchange } from './http.ts';
import type { Fetch } from './platform.ts';
import type { TokenPair } from './stores/token-store.ts';

const TIMEOUT_MS = 10_000;
const PATH = 'twirp/msg.MsgService/RefreshToken';

/** A member under either spelling. */
function member(body: Readonly<Record<string, unknown>>, name: string): unknown {
  const camel = name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  return body[name] ?? body[camel];
}

/** Unix seconds from a number, a numeric string or a date; 0 for anything else. */
function seconds(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return 0;
  const number = /^\d+$/.test(value) ? Number(value) : Date.parse(value) / 1000;
  return Number.isFinite(number) ? Math.floor(number) : 0;
}

/** Reads what RefreshToken answered, in either casing. @throws MsgError MSG_INTERNAL */
function readPair(members: Exchange['body']): TokenPair {
  const text = (name: string): string => {
    const value = member(members, name);
    return typeof value === 'string' ? value : '';
  };
  const accessToken = text('access_token');
  const accessExp = seconds(member(members, 'access_expires_unix')) || seconds(member(members, 'expires_at'));
  if (!accessToken || !accessExp)
    throw new MsgError('MSG_INTERNAL', 'the answer of RefreshToken cannot be read');
  return {
    accessToken,
    refreshToken: text('refresh_token'),
    accessExp,
    refreshExp: seconds(member(members, 'refresh_expires_unix')),
  };
}

/** Redeems a refresh token. @throws MsgError with the server's code; MSG_BROKER_NOT_READY without an answer. */
export async function redeem(fetch: Fetch, endpoint: string, refreshToken: string): Promise<TokenPair> {
  const url = addressOf(endpoint, PATH);
  const { status, body } = await exchange(fetch, url, TIMEOUT_MS, { refresh_token: refreshToken });
  if (status !== 200) throw errorOfAnswer(status, body);
  return readPair(body);
}
