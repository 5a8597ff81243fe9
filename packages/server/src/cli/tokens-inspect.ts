import { list, valueFlag } from '@msg/command-line';
import { MsgError, parseName } from '@msg/core';
import {
  compileGrants,
  evaluateGrants,
  formatDuration,
  formatTimestamp,
  type GrantClaims,
  VERBS,
} from '@msg/core/internal';
import { defined, isRecord } from '@msg/foundation/json';
import { type Claims, readToken } from '../config/token-text.ts';
import { localCommand, printResult } from './command.ts';

const CHANNELS = valueFlag('--channel', list, [], 'channel whose rights are worked out; repeatable');

/** The claims that carry grants; a claim of another form grants nothing. */
function grantsOf(claims: Claims): GrantClaims {
  const { chs, scopes } = claims;
  const isScope = (scope: unknown): boolean =>
    isRecord(scope) && typeof scope['pat'] === 'string' && Array.isArray(scope['v']);
  return {
    chs: Array.isArray(chs) ? chs.filter(item => typeof item === 'string') : [],
    scopes: Array.isArray(scopes) ? scopes.filter(isScope) : [],
  };
}

/** The decision about a verb, as `authz explain` prints it. */
function right(claims: Claims, channel: string, verb: (typeof VERBS)[number]): object {
  if (verb === 'subscribe' && channel.startsWith('public:')) return { allowed: true, decided_by: 'public' };
  const unbounded = claims['typ'] === 'mgmt' && claims['scopes'] === undefined;
  if (unbounded) return { allowed: true, decided_by: 'token' };
  if (claims['typ'] === 'refresh') return { allowed: false, decided_by: 'token' };
  const { allowed, by, pattern } = evaluateGrants(compileGrants(grantsOf(claims)), channel, verb);
  return { allowed, decided_by: by, ...defined({ pattern }) };
}

function timestamp(claims: Claims, name: 'iat' | 'exp'): number | undefined {
  const value = claims[name];
  return typeof value === 'number' && Number.isFinite(value) ? value * 1000 : undefined;
}

/** The payload of the envelope: header, claims, times, and the rights on these channels. */
function inspection(token: string, channels: readonly string[], now: number): object {
  const parts = readToken(token);
  if (parts === undefined) {
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      'the token must be three parts separated by dots, the first two of them base64url JSON',
    );
  }
  const { header, claims } = parts;
  for (const channel of channels) parseName(channel);
  const [issued, expires] = [timestamp(claims, 'iat'), timestamp(claims, 'exp')];
  const rights = channels.map(channel => ({
    channel,
    ...Object.fromEntries(VERBS.map(verb => [verb, right(claims, channel, verb)])),
  }));
  return {
    signature_checked: false,
    header,
    claims,
    ...defined({ issued_at: issued === undefined ? undefined : formatTimestamp(issued) }),
    ...expiry(expires, now),
    ...defined({ rights: channels.length === 0 ? undefined : rights }),
  };
}

function expiry(expires: number | undefined, now: number): object {
  if (expires === undefined) return {};
  return {
    expires_at: formatTimestamp(expires),
    expired: now > expires,
    expires_in: formatDuration(Math.max(0, Math.round((expires - now) / 1000) * 1000)),
  };
}

/** `tokens inspect`: decodes a token without a server; the signature is not checked. */
export const inspectToken = localCommand({
  name: 'tokens inspect',
  args: [{ name: 'token', help: 'any token of the service; - reads it from standard input' }],
  summary: 'decode a token: claims, expiry, rights on given channels',
  detail:
    'Works without a server. The signature, the state of channels and revocations are not looked at: ' +
    '`msg authz explain` asks the service.',
  settings: { channels: CHANNELS },
  examples: [
    { line: 'tokens inspect "$TOKEN"', help: 'what is in it and until when it is valid' },
    {
      line: 'tokens inspect - --channel private:shop.order.77 < token.txt',
      help: 'which verbs its grants give there',
    },
  ],
  async run({ args: [argument = ''], settings: { channels }, io }) {
    const token = argument === '-' ? new TextDecoder().decode(await io.readStdin()) : argument;
    const payload = inspection(token.trim(), channels, io.now());
    printResult(io, { kind: 'msg.token.inspected', payload });
  },
});
