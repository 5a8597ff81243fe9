import type { PublicationEvent, Seen, SubscribedEvent } from './observations.ts';

/** Where a client stands in a channel. */
export interface Standing {
  readonly epoch: string;
  readonly offset: number;
}

/** What is called while the events of each client and channel are followed in their order. */
export interface Follow {
  /** `before` is where the client stood; undefined at the first subscribe. */
  subscribed?(event: SubscribedEvent, before: Standing | undefined): void;
  published?(event: PublicationEvent, before: Standing | undefined): void;
}

/** Follows every client through every channel. */
export function follow(seen: readonly Seen[], { subscribed, published }: Follow): void {
  const standings = new Map<string, Standing>();
  for (const event of seen) {
    const key = keyOf(event);
    const before = standings.get(key);
    if (event.kind === 'subscribed') {
      subscribed?.(event, before);
      const { epoch, offset, recovered } = event;
      standings.set(key, { epoch, offset: recovered && before !== undefined ? before.offset : offset });
    } else {
      published?.(event, before);
      standings.set(key, { epoch: before?.epoch ?? '', offset: event.offset });
    }
  }
}

/** One client in one channel. */
export function keyOf({ client, channel }: Pick<Seen, 'client' | 'channel'>): string {
  return `${client} in ${channel}`;
}
