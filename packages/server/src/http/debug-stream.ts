import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { MsgError, parseName } from '@msg/core';
import type { Clock, Publication, RealtimeNode, TimerHandle } from '@msg/engine';
import { type Authorizer, refusalError } from '../access/authorizer.ts';
import { bearerToken } from '../access/bearer.ts';
import type { ChannelManager } from '../channels/manager.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import { ChannelReading, type ReadingEnd, type ReadingEvents } from '../realtime/channel-reading.ts';
import type { VerifiedToken } from '../tokens/claims.ts';
import { TokenRefused } from '../tokens/refusal.ts';
import type { TokenVerifier } from '../tokens/verifier.ts';
import type { Exchange } from './exchange.ts';
import type { Refusals } from './refusals.ts';
import type { Route } from './router.ts';

/** A reader with more bytes waiting is cut. */
const MAX_WAITING_BYTES = 1_048_576;
const KEEP_ALIVE_MS = 15_000;

const HEADERS: readonly string[] = [
  ...['content-type', 'text/event-stream'],
  ...['cache-control', 'no-cache'],
  ...['connection', 'keep-alive'],
  ...['x-accel-buffering', 'no'],
];

/** The parts of the service that the stream asks. */
export interface DebugStreamParts {
  readonly node: RealtimeNode;
  readonly channels: Pick<ChannelManager, 'requireOpen'>;
  readonly verifier: Pick<TokenVerifier, 'verify'>;
  readonly authorizer: Pick<Authorizer, 'checkGrant'>;
  readonly limits: Pick<RateLimits, 'take'>;
  readonly clock: Clock;
}

/** What a request asks for. */
interface Wish {
  readonly channel: string;
  /** Access token; empty when there is none or the channel needs none. */
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
function wishOf({ request }: Exchange): Wish {
  const target = request.url ?? '';
  const query = new URLSearchParams(target.slice(target.indexOf('?') + 1));
  const channel = query.get('channel') ?? '';
  if (channel === '') throw new MsgError('MSG_INVALID_ARGUMENT', 'channel is missing');
  const isPublic = parseName(channel).visibility === 'public';
  const token = isPublic ? '' : (bearerToken(request.headers.authorization) ?? query.get('token') ?? '');
  // A browser that reconnects repeats the address and says in the header how far it got.
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

/** JSON as it is, text as a string, any other bytes as a string with replacement characters. */
function eventOf(channel: string, { offset, data }: Publication): string {
  const value =
    data.json === null ? JSON.stringify(Buffer.from(data.bytes).toString()) : Buffer.from(data.json);
  return `id: ${offset}\ndata: {"channel":${JSON.stringify(channel)},"offset":${offset},"data":${value}}\n\n`;
}

/** Writes one reading as server-sent events. */
class EventWriter implements ReadingEvents {
  readonly #response: ServerResponse;
  readonly #channel: string;
  readonly #clock: Clock;
  #keepAlive: TimerHandle | null = null;

  constructor(response: ServerResponse, channel: string, clock: Clock) {
    this.#response = response;
    this.#channel = channel;
    this.#clock = clock;
    response.on('close', () => this.#stopKeepAlive());
    this.#scheduleKeepAlive();
  }

  publication(publication: Publication): boolean {
    const flowing = this.#response.write(eventOf(this.#channel, publication));
    if (this.#response.writableLength > MAX_WAITING_BYTES) this.#response.destroy();
    return flowing;
  }

  async writable(): Promise<void> {
    if (this.#response.destroyed || !this.#response.writableNeedDrain) return;
    const gone = new AbortController();
    this.#response.once('close', () => gone.abort());
    await once(this.#response, 'drain', { signal: gone.signal }).catch(() => {});
  }

  ended(why: ReadingEnd): void {
    this.#stopKeepAlive();
    // Browsers drop events without data.
    if (why !== 'closed') {
      this.#response.write(`event: ${why}\ndata: {"channel":${JSON.stringify(this.#channel)}}\n\n`);
    }
    this.#response.end();
  }

  #scheduleKeepAlive(): void {
    this.#keepAlive = this.#clock.setTimeout(() => {
      this.#response.write(': ping\n\n');
      this.#scheduleKeepAlive();
    }, KEEP_ALIVE_MS);
  }

  #stopKeepAlive(): void {
    if (this.#keepAlive !== null) this.#clock.clearTimeout(this.#keepAlive);
    this.#keepAlive = null;
  }
}

/** `GET /sse?channel=<name>`: one channel as server-sent events, for people and tools (messaging details 11.1). */
export class DebugStream {
  readonly route: Route;
  readonly #parts: DebugStreamParts;
  readonly #refusals: Refusals;

  constructor(parts: DebugStreamParts, refusals: Refusals) {
    this.#parts = parts;
    this.#refusals = refusals;
    this.route = { path: '/sse', browser: true, methods: { GET: exchange => this.#answer(exchange) } };
  }

  async #answer(exchange: Exchange): Promise<void> {
    try {
      const wish = wishOf(exchange);
      const token = await this.#authorize(wish);
      if (token !== null) {
        exchange.subject = token.subject;
        // As on sockets: who is nobody in particular is not limited.
        if (token.subject !== '') await this.#parts.limits.take('subscribe', token.subject, token);
      }
      await this.#stream(exchange, wish);
    } catch (error) {
      this.#refusals.refuse(exchange, error);
    }
  }

  /**
   * The token first: who may not read a private channel does not learn whether it exists.
   * @throws TokenRefused, MsgError
   */
  async #authorize({ channel, token: text }: Wish): Promise<VerifiedToken | null> {
    const { authorizer, channels } = this.#parts;
    const token = channel.startsWith('public:') ? null : this.#verify(text);
    if (token !== null) {
      const decision = await authorizer.checkGrant(channel, 'subscribe', { kind: 'kept', token });
      if (!decision.allowed) throw refusalError(decision);
    }
    await channels.requireOpen(channel);
    return token;
  }

  /** 401 for what is no valid token, 403 for a valid one of another type. */
  #verify(text: string): VerifiedToken {
    if (text === '') throw new TokenRefused('MSG_AUTH_MISSING', undefined, true);
    try {
      return this.#parts.verifier.verify('access', text);
    } catch (error) {
      if (!(error instanceof TokenRefused) || error.label === 'MSG_AUTH_TYPE_MISMATCH') throw error;
      throw error.asBearer();
    }
  }

  async #stream(exchange: Exchange, wish: Wish): Promise<void> {
    const { request, response, headers, peer } = exchange;
    if (request.method === 'HEAD') {
      response.writeHead(200, [...headers, ...HEADERS]).end();
      return;
    }
    const reading = await this.#open(wish, peer);
    response.on('close', () => reading.close());
    if (response.destroyed) return reading.close();
    response.writeHead(200, [...headers, ...HEADERS]).flushHeaders();
    await reading.start(new EventWriter(response, wish.channel, this.#parts.clock)).catch(error => {
      // The stream is open: its end is all that can still be said.
      response.destroy();
      throw error;
    });
  }

  async #open(wish: Wish, remoteAddress: string): Promise<ChannelReading> {
    const { node } = this.#parts;
    try {
      return await ChannelReading.open(node, { ...wish, remoteAddress, waitingBytes: MAX_WAITING_BYTES });
    } catch (cause) {
      // Refused right after it was allowed: whatever changed in between says so when asked again.
      await this.#authorize(wish);
      throw new MsgError('MSG_BROKER_NOT_READY', 'the broker takes no readers at the moment', { cause });
    }
  }
}
