import { MsgClient } from '@msg/client';
import type * as Stock from 'centrifuge';
import { DELAYS_MS, type Invitation, type Listener, type ListenerClient, noted } from './client.ts';

type StockModule = Pick<typeof Stock, 'Centrifuge' | 'UnauthorizedError'>;

const DELAYS = {
  minReconnectDelay: DELAYS_MS.least,
  maxReconnectDelay: DELAYS_MS.most,
};
const SUBSCRIPTION_DELAYS = {
  minResubscribeDelay: DELAYS_MS.least,
  maxResubscribeDelay: DELAYS_MS.most,
};

/** The number of a payload that is not UTF-8, as its bytes say it. */
function numberIn(bytes: unknown): number {
  return bytes instanceof Uint8Array && bytes[0] === 0xff
    ? Number(Buffer.from(bytes.subarray(1)).toString())
    : Number.NaN;
}

/** The stock client gives base64 for it. */
const decoded = (data: unknown): Uint8Array => Buffer.from(String(data), 'base64');
/** The wrapper gives the bytes. */
const handedOut = (data: unknown): unknown => data;

/** What an application sees: its publications and the first reason that ends it. */
class Seen implements Listener {
  readonly numbers: number[] = [];
  told: string | undefined;
  notes = '';
  readonly #leave: () => void;
  #left = false;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  end(reason: string): void {
    if (!this.#left) this.told ??= reason;
  }

  follow(
    client: Stock.Centrifuge,
    subscription: Stock.Subscription,
    bytesOf: (data: unknown) => unknown,
    preliminary?: string,
  ): void {
    subscription.on('publication', ({ data, tags }) => {
      const isBinary = tags?.['msg-encoding'] === 'base64';
      this.numbers.push(isBinary ? numberIn(bytesOf(data)) : (data as { n: number }).n);
    });
    subscription.on('unsubscribed', ({ code }) => {
      const reason = `unsubscribed ${code}`;
      if (reason !== preliminary) this.end(reason);
    });
    client.on('disconnected', ({ code }) => this.end(`disconnected ${code}`));
    // The client retries what it may.
    subscription.on('error', ({ error }) => this.#note(error));
    client.on('error', ({ error }) => this.#note(error));
  }

  #note(error: object): void {
    this.notes = noted(this.notes, `${JSON.stringify(error)}\n`);
  }

  stop(): void {
    this.#left = true;
    this.#leave();
  }
}

/** Of the wrapper: the token is the connection's, too, whose end it tells of a moment later. Which ends first is chance. */
const TOKEN_HAS_ENDED = 'unsubscribed 110';

/** A token callback as docs/permissions.md describes it. */
function refreshing({ url, refresh }: Invitation, Unauthorized: StockModule['UnauthorizedError']) {
  let token = refresh;
  return async (): Promise<string> => {
    const answer = await fetch(`${url}/twirp/msg.MsgService/RefreshToken`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refresh_token: token }),
    });
    if (answer.status === 401 || answer.status === 403) throw new Unauthorized('signed out');
    if (!answer.ok) throw new Error(`RefreshToken answered ${answer.status}`);
    const pair = (await answer.json()) as { access_token: string; refresh_token: string };
    token = pair.refresh_token;
    return pair.access_token;
  };
}

/** A version of the stock client, by the name of its package here. */
export function stockClient(name: string, packageName: string): ListenerClient {
  let module: StockModule | undefined;
  return {
    name,
    missing: () => undefined,
    async prepare() {
      module = (await import(packageName)) as StockModule;
    },
    listen(invitation) {
      const { url, channel, access, refresh, tokenOf } = invitation;
      if (module === undefined) throw new Error('prepare first');
      const { Centrifuge, UnauthorizedError } = module;
      const tokens = {
        ...(access === undefined ? {} : { token: access }),
        ...(refresh === undefined ? {} : { getToken: refreshing(invitation, UnauthorizedError) }),
      };
      const client = new Centrifuge(`${url.replace('http', 'ws')}/connection/websocket`, {
        ...DELAYS,
        ...(tokenOf === 'connection' ? tokens : {}),
      });
      const subscription = client.newSubscription(channel, {
        ...SUBSCRIPTION_DELAYS,
        ...(tokenOf === 'subscription' ? tokens : {}),
      });
      const seen = new Seen(() => client.disconnect());
      seen.follow(client, subscription, decoded);
      subscription.subscribe();
      client.connect();
      return seen;
    },
  };
}

/** Our wrapper around the stock client. */
export const WRAPPER: ListenerClient = {
  name: '`@msg/client`',
  missing: () => undefined,
  prepare: () => Promise.resolve(),
  listen({ url, channel, access, refresh }) {
    const expiry = (token?: string): number =>
      token === undefined
        ? 0
        : JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).exp;
    const client = new MsgClient({
      endpoint: url,
      centrifugeOptions: DELAYS,
      ...(access === undefined ? {} : { accessToken: access, accessExp: expiry(access) }),
      ...(refresh === undefined ? {} : { refreshToken: refresh, refreshExp: expiry(refresh) }),
      refreshSkewSeconds: 1,
    });
    const seen = new Seen(() => client.disconnect());
    client.on('terminal', ({ code }) => seen.end(`terminal ${code}`));
    const start = async (): Promise<void> => {
      await client.connect();
      const subscription = client.newSubscription(channel, SUBSCRIPTION_DELAYS);
      seen.follow(client.raw(), subscription, handedOut, TOKEN_HAS_ENDED);
      subscription.subscribe();
    };
    start().catch((error: unknown) => seen.end(`connect: ${error}`));
    return seen;
  },
};
