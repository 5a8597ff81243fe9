import type { RpcResponse } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import { BASE } from '../app/address.ts';
import { clock } from '../app/clock.ts';
import { call } from '../rpc/client.ts';

/** A message of a feed. */
export interface FeedMessage {
  readonly topic: string;
  readonly at: string;
  readonly data: unknown;
}

/** `live` once messages come; `reconnecting` after that; `unreachable` while no connection is possible. */
export type FeedState = 'connecting' | 'live' | 'reconnecting' | 'unreachable';

export interface FeedEvents {
  readonly onMessage: (message: FeedMessage) => void;
  readonly onState: (state: FeedState) => void;
  /** A feed is there and is read; also of a new one, after the service ended the one before. */
  readonly onOpen: (feed: string) => void;
}

/** No connection within this time: the page asks by itself instead. */
const PATIENCE_MS = 8000;
const AGAIN_MS = 5000;
/** A feed that tells nothing for so long is asked for: its node may have died, while its channel stays open. */
const QUIET_MS = 6000;

/** The service's own address, below which the console is. */
const SERVICE = location.origin + BASE.replace(/console\/$/, '');

/** Reads a feed until it is closed, over WebSocket, else HTTP streaming. */
export class Feed {
  readonly #topics: readonly string[];
  readonly #events: FeedEvents;
  #closed = false;
  #end: () => void = () => {};
  #waiting: ReturnType<typeof clock.setTimeout> | undefined;

  constructor(topics: readonly string[], events: FeedEvents) {
    this.#topics = topics;
    this.#events = events;
    addEventListener('pagehide', this.#onLeft);
    void this.#open();
  }

  readonly #onLeft = (): void => this.close();

  close(): void {
    removeEventListener('pagehide', this.#onLeft);
    this.#closed = true;
    if (this.#waiting !== undefined) clock.clearTimeout(this.#waiting);
    this.#end();
  }

  async #open(): Promise<void> {
    try {
      const [access, { Centrifuge, UnauthorizedError }] = await Promise.all([
        call('OpenFeed', { topics: this.#topics }),
        import('centrifuge'),
      ]);
      if (this.#closed) void call('CloseFeed', { feed: access.feed }).catch(() => {});
      else this.#read(access, Centrifuge, UnauthorizedError);
    } catch {
      this.#events.onState('unreachable');
      this.#again();
    }
  }

  #read(
    access: RpcResponse<'OpenFeed'>,
    Centrifuge: typeof import('centrifuge').Centrifuge,
    UnauthorizedError: typeof import('centrifuge').UnauthorizedError,
  ): void {
    const { feed, channel } = access;
    const { onMessage, onState, onOpen } = this.#events;
    const client = new Centrifuge(
      [
        { transport: 'websocket', endpoint: `${SERVICE.replace(/^http/, 'ws')}connection/websocket` },
        { transport: 'http_stream', endpoint: `${SERVICE}connection/http_stream` },
      ],
      {
        emulationEndpoint: `${SERVICE}emulation`,
        token: access.access_token,
        getToken: async () => {
          try {
            return (await call('RenewFeed', { feed })).access_token;
          } catch (error) {
            // The feed has ended, or the session: another attempt with the same feed is of no use.
            const { code } = toMsgError(error);
            if (code === 'MSG_BROKER_NOT_READY') throw error;
            throw new UnauthorizedError(code);
          }
        },
      },
    );
    let wasLive = false;
    let quiet: ReturnType<typeof clock.setTimeout> | undefined;
    const deaf = (): void => {
      if (quiet !== undefined) clock.clearTimeout(quiet);
    };
    let isOver = false;
    const heard = (): void => {
      deaf();
      if (isOver) return;
      quiet = clock.setTimeout(() => void call('RenewFeed', { feed }).then(heard, doubt), QUIET_MS);
    };
    const impatient = clock.setTimeout(() => onState('unreachable'), PATIENCE_MS);
    const subscription = client.newSubscription(channel);
    subscription.on('publication', ({ data }) => {
      heard();
      onMessage(data as FeedMessage);
    });
    subscription.on('subscribed', () => {
      clock.clearTimeout(impatient);
      heard();
      onState('live');
      if (!wasLive) onOpen(feed);
      wasLive = true;
    });
    subscription.on('subscribing', () => {
      if (wasLive) onState('reconnecting');
    });
    const over = (): void => {
      if (isOver || this.#closed) return;
      isOver = true;
      deaf();
      client.disconnect();
      onState('reconnecting');
      this.#again();
    };
    const doubt = (error: unknown): void => {
      if (toMsgError(error).code === 'MSG_BROKER_NOT_READY') heard();
      else over();
    };
    subscription.on('unsubscribed', over);
    client.on('disconnected', over);
    this.#end = () => {
      clock.clearTimeout(impatient);
      isOver = true;
      deaf();
      client.disconnect();
      void call('CloseFeed', { feed }).catch(() => {});
    };
    subscription.subscribe();
    client.connect();
  }

  #again(): void {
    if (this.#closed || this.#waiting !== undefined) return;
    this.#waiting = clock.setTimeout(() => {
      this.#waiting = undefined;
      void this.#open();
    }, AGAIN_MS);
  }
}
