import { MsgError, type Situation } from '@msg/core';
import { type Claims, readToken } from '../config/token-text.ts';

/** The facts about a failed call of the service. */
export interface FailedCall {
  /** Base address of the service. */
  readonly server: string;
  /** The bearer that was sent; empty without one, `undefined` where the call needs none. */
  readonly token: string | undefined;
  /** Types of tokens that the call accepts, the usual one first. */
  readonly needs: readonly TokenType[];
  /** The channel that the call is about; empty for none. */
  readonly channel: string;
  /** The call is about a schema. */
  readonly isSchema?: boolean;
  /** Unix milliseconds. */
  readonly now: number;
}

/** The values of a token's `typ`. */
type TokenType = 'mgmt' | 'access' | 'refresh';

const TYPE_NAMES: Readonly<Record<TokenType, string>> = {
  mgmt: 'a management token',
  access: 'an access token',
  refresh: 'a refresh token',
};

interface NetworkProblem {
  readonly text: string;
  readonly name: Situation['name'];
}

const REFUSED: NetworkProblem = { text: 'connection refused', name: 'connectionRefused' };
const UNKNOWN_HOST: NetworkProblem = { text: 'the host name is unknown', name: 'hostUnknown' };
const TIMED_OUT: NetworkProblem = { text: 'it did not answer in time', name: 'answerMissing' };

/** Failures of the network by the code that Node.js gives them. */
const NETWORK: Readonly<Record<string, NetworkProblem>> = {
  ECONNREFUSED: REFUSED,
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  ETIMEDOUT: TIMED_OUT,
  UND_ERR_CONNECT_TIMEOUT: TIMED_OUT,
  UND_ERR_HEADERS_TIMEOUT: TIMED_OUT,
};

/** Codes of OpenSSL and of Node.js for a rejected certificate. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)_|HOSTNAME_MISMATCH/;

/** The error and its causes. */
function chain(error: unknown): readonly unknown[] {
  return error instanceof Error ? [error, ...chain(error.cause)] : [];
}

function networkProblem(error: MsgError): NetworkProblem | undefined {
  for (const link of chain(error.cause)) {
    if (link instanceof Error && (link.name === 'TimeoutError' || link.name === 'AbortError'))
      return TIMED_OUT;
    const code = link instanceof Error && 'code' in link ? String(link.code) : '';
    const problem = NETWORK[code];
    if (problem !== undefined) return problem;
    if (CERTIFICATE.test(code))
      return { text: `its certificate is refused: ${code}`, name: 'certificateInvalid' };
  }
  return undefined;
}

function expired({ exp }: Claims, now: number): boolean {
  return typeof exp === 'number' && exp * 1000 < now;
}

function tokenSituation(error: MsgError, { token, needs, now }: FailedCall): Situation | undefined {
  if (token === undefined) return undefined;
  const isAccess = needs[0] === 'access';
  if (token === '') return { name: isAccess ? 'accessTokenMissing' : 'tokenMissing' };
  const claims = readToken(token)?.claims;
  if (claims === undefined) return { name: 'tokenGarbage' };
  if (expired(claims, now)) return { name: 'tokenExpired' };
  const { typ } = claims;
  const type = Object.hasOwn(TYPE_NAMES, String(typ)) ? (typ as TokenType) : undefined;
  if (type !== undefined && !needs.includes(type)) {
    const needed = TYPE_NAMES[needs[0] ?? 'mgmt'];
    return { name: 'tokenOfOtherType', values: { given: TYPE_NAMES[type], needed } };
  }
  // With 403 the token is valid, and its rights are too narrow.
  return error.code === 'MSG_AUTH_DENIED' && error.status === 401 ? { name: 'tokenNotSigned' } : undefined;
}

function channelSituation({ channel, isSchema }: FailedCall): Situation | undefined {
  if (isSchema) return { name: 'schemaUnknown' };
  if (channel.startsWith('public:')) return { name: 'publicChannelUnknown', values: { channel } };
  return channel.startsWith('private:') ? { name: 'privateChannelUnknown', values: { channel } } : undefined;
}

function situationOf(error: MsgError, call: FailedCall): Situation | undefined {
  switch (error.code) {
    case 'MSG_AUTH_DENIED':
    case 'MSG_AUTH_EXPIRED':
      return tokenSituation(error, call);
    case 'MSG_CHANNEL_NOT_FOUND':
    case 'MSG_CHANNEL_CLOSED':
      return channelSituation(call);
    default:
      return undefined;
  }
}

/** The failure of a call, with its situation if the failure and the sent token show one. */
export function withSituation(error: unknown, call: FailedCall): unknown {
  if (!(error instanceof MsgError) || error.situation !== undefined) return error;
  const problem = error.code === 'MSG_BROKER_NOT_READY' ? networkProblem(error) : undefined;
  const situation =
    problem === undefined
      ? situationOf(error, call)
      : {
          name: problem.name,
          values: { server: call.server.endsWith('/') ? call.server.slice(0, -1) : call.server },
        };
  if (situation === undefined) return error;
  const text = problem === undefined ? error.message : `${error.message}: ${problem.text}`;
  return new MsgError(error.code, text, { cause: error, situation });
}
