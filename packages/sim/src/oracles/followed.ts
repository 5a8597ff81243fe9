import type { Observations, PublicationEvent, Seen, SubscribedEvent } from './observations.ts';

/** Where a client stands in a channel. */
export interface Standing {
  readonly epoch: string;
  readonly offset: number;
  /** What follows is the newest value: offsets may be left out. */
  readonly mayJump?: boolean;
}

/** What is called while the events of each client and channel are followed in their order. */
export interface Follow {
  /** `before` is where the client stood; undefined at the first subscribe. */
  subscribed?(event: SubscribedEvent, before: Standing | undefined): void;
  published?(event: PublicationEvent, before: Standing | undefined): void;
}

/** Follows every client through every channel; returns where each stands in the end, by {@link keyOf}. */
export function follow(
  { seen, mode = 'stream' }: Pick<Observations, 'seen' | 'mode'>,
  { subscribed, published }: Follow,
): ReadonlyMap<string, Standing> {
  const standings = new Map<string, Standing>();
  for (const event of seen) {
    const key = keyOf(event);
    const before = standings.get(key);
    if (event.kind === 'subscribed') {
      subscribed?.(event, before);
      standings.set(key, mode === 'cache' ? afterCache(event, before) : afterStream(event, before));
    } else {
      published?.(event, before);
      standings.set(key, { epoch: before?.epoch ?? '', offset: event.offset });
    }
  }
  return standings;
}

function afterStream({ epoch, offset, recovered }: SubscribedEvent, before: Standing | undefined): Standing {
  return { epoch, offset: recovered && before !== undefined ? before.offset : offset };
}

function afterCache({ epoch, offset, recovered }: SubscribedEvent, before: Standing | undefined): Standing {
  if (!recovered) return { epoch, offset };
  return { epoch, offset: before?.epoch === epoch ? before.offset : 0, mayJump: true };
}

/** One client in one channel. */
export function keyOf({ client, channel }: Pick<Seen, 'client' | 'channel'>): string {
  return `${client} in ${channel}`;
}
