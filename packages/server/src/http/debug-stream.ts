import { MsgError, parseName } from '@msg/core';
import type { RealtimeNode } from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import type { AccessControl } from '../auth/access/access-control.ts';
import { bearerToken } from '../auth/access/bearer.ts';
import { denialError } from '../auth/access/decision.ts';
import type { VerifiedToken } from '../auth/tokens/claims.ts';
import { InvalidTokenError } from '../auth/tokens/invalid-token.ts';
import type { TokenVerifier } from '../auth/tokens/verifier.ts';
import type { ChannelManager } from '../channels/manager.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import { ChannelReader } from '../realtime/channel-reader.ts';
import type { ErrorResponder } from './error-responder.ts';
import { EventWriter } from './event-writer.ts';
import type { Pipelining } from './pipelining.ts';
import type { RequestContext } from './request-context.ts';
import type { Route } from './router.ts';

/** A reader with more waiting bytes is disconnected. */
const MAX_WAITING_BYTES = 1_048_576;

const HEADERS: readonly string[] = [
  ...['content-type', 'text/event-stream'],
  ...['cache-control', 'no-cache'],
  ...['connection', 'keep-alive'],
  ...['x-accel-buffering', 'no'],
];

/** The parts of the service that the stream uses. */
export interface DebugStreamParts {
  readonly node: RealtimeNode;
  readonly channels: Pick<ChannelManager, 'requireReadable'>;
  readonly verifier: Pick<TokenVerifier, 'verify'>;
  readonly access: Pick<AccessControl, 'decide'>;
  readonly limits: Pick<RateLimits, 'take'>;
  readonly clock: Clock;
}

/** The parameters of a request. */
interface Wish {
  readonly channel: string;
  /** Access token; empty without one, and when the channel needs none. */
  readonly token: string;
  /** First offset; 0: only new publications. */
  readonly from: number;
}

function offsetOf(text: string, what: string): number {
  const offset = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(offset)) return offset;
  throw new MsgError('MSG_INVALID_ARGUMENT', `${what} is not an offset`);
}

/** @throws MsgError MSG_INVALID_ARGUMENT, MSG_CHANNEL_INVALID */
function wishOf({ request }: RequestContext): Wish {
  const target = request.url ?? '';
  const query = new URLSearchParams(target.slice(target.indexOf('?') + 1));
  const channel = query.get('channel') ?? '';
  if (channel === '') throw new MsgError('MSG_INVALID_ARGUMENT', 'channel is missing');
  const isPublic = parseName(channel).visibility === 'public';
  const token = isPublic ? '' : (bearerToken(request.headers.authorization) ?? query.get('token') ?? '');
  // A reconnecting browser repeats the address and sends its last offset in a header.
  const last = request.headers['last-event-id'];
  if (typeof last === 'string' && last !== '') {
    return { channel, token, from: offsetOf(last, 'Last-Event-ID') + 1 };
  }
  return {
    channel,
    token,
    from: offsetOf(query.get('from_offset') ?? query.get('offset') ?? '0', 'from_offset'),
  };
}

/** `GET /sse?channel=<name>`: one channel as server-sent events, for people and tools (messaging details 11.1). */
export class DebugStream {
  readonly route: Route;
  readonly #parts: DebugStreamParts;
  readonly #responder: ErrorResponder;
  readonly #pipelining: Pipelining;

  constructor(parts: DebugStreamParts, responder: ErrorResponder, pipelining: Pipelining) {
    this.#parts = parts;
    this.#pipelining = pipelining;
    this.#responder = responder;
    this.route = { path: '/sse', browser: true, methods: { GET: context => this.#answer(context) } };
  }

  async #answer(context: RequestContext): Promise<void> {
    try {
      const wish = wishOf(context);
      const token = await this.#authorize(wish);
      if (token !== null) {
        context.subject = token.subject;
        // As on sockets: an anonymous caller is not limited.
        if (token.subject !== '') await this.#parts.limits.take('subscribe', token.subject, token);
      }
      await this.#stream(context, wish, token);
    } catch (error) {
      this.#responder.refuse(context, error);
    }
  }

  /**
   * The token is checked first: without the right to read a private channel, the answer does not reveal whether it
   * exists.
   * @throws InvalidTokenError, MsgError
   */
  async #authorize({ channel, token: text }: Wish): Promise<VerifiedToken | null> {
    const { access, channels } = this.#parts;
    const token = channel.startsWith('public:') ? null : this.#verify(text);
    if (token !== null) {
      const principal = { kind: 'client', credential: { kind: 'verified', token } } as const;
      const decision = await access.decide({ principal, verb: 'subscribe', resource: channel });
      if (!decision.allowed) throw denialError(decision);
    }
    await channels.requireReadable(channel);
    return token;
  }

  /** 401 for an invalid token, 403 for a valid one of another type. */
  #verify(text: string): VerifiedToken {
    if (text === '') throw new InvalidTokenError('MSG_AUTH_MISSING', undefined, true);
    try {
      return this.#parts.verifier.verify('access', text);
    } catch (error) {
      if (!(error instanceof InvalidTokenError) || error.label === 'MSG_AUTH_TYPE_MISMATCH') throw error;
      throw error.asBearer();
    }
  }

  async #stream(context: RequestContext, wish: Wish, token: VerifiedToken | null): Promise<void> {
    const { request, response, headers, clientAddress } = context;
    if (request.method === 'HEAD') {
      response.writeHead(200, [...headers, ...HEADERS]).end();
      return;
    }
    const reading = await this.#open(wish, token, clientAddress);
    response.on('close', () => reading.close());
    if (response.destroyed) return reading.close();
    response.writeHead(200, [...headers, ...HEADERS]).flushHeaders();
    this.#pipelining.hold(request);
    await reading
      .start(new EventWriter(response, wish.channel, MAX_WAITING_BYTES, this.#parts.clock))
      .catch(error => {
        // The stream is open: an error can only end it.
        response.destroy();
        throw error;
      });
  }

  async #open(wish: Wish, token: VerifiedToken | null, remoteAddress: string): Promise<ChannelReader> {
    const { channel, from } = wish;
    const options = { channel, token, from, remoteAddress, waitingBytes: MAX_WAITING_BYTES };
    try {
      return await ChannelReader.open(this.#parts.node, options);
    } catch (cause) {
      // The engine refused what was just allowed: a second check finds the change.
      await this.#authorize(wish);
      throw new MsgError('MSG_BROKER_NOT_READY', 'the broker takes no readers at the moment', { cause });
    }
  }
}
