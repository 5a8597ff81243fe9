import { MsgError } from '@msg/core';
import { errorOfAnswer } from '@msg/core/internal';
import { addressOf } from './address.ts';
import { readCredentials } from './credentials.ts';
import { requestJson } from './http.ts';
import type { Fetch } from './platform.ts';
import type { TokenPair } from './stores/token-store.ts';

const TIMEOUT_MS = 10_000;
const PATH = 'twirp/msg.MsgService/RefreshToken';

/** Redeems a refresh token. @throws MsgError with the server's code; MSG_BROKER_NOT_READY without an answer. */
export async function redeem(fetch: Fetch, endpoint: string, refreshToken: string): Promise<TokenPair> {
  const url = addressOf(endpoint, PATH);
  const { status, body } = await requestJson(fetch, url, TIMEOUT_MS, { refresh_token: refreshToken });
  if (status !== 200) throw errorOfAnswer(status, body);
  const pair = readCredentials(body);
  if (pair === undefined) throw new MsgError('MSG_INTERNAL', 'the answer of RefreshToken cannot be read');
  return pair;
}
