import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { clock } from '../app/clock.ts';
import { Feed, type FeedMessage, type FeedState } from './feed.ts';

/** How the feed of the page is; undefined for a page without one. */
export const feedState = signal<FeedState | 'hidden' | undefined>(undefined);

/** How long a page that is not seen keeps its feed. */
const HIDDEN_MS = 30_000;

/** What a page gets of its feed. */
export interface UsedFeed {
  /** Empty before the first one is open. */
  readonly feed: string;
  readonly state: FeedState | 'hidden';
}

/** Reads topics while the page is seen; each message is given to `onMessage`. */
export function useFeed(topics: readonly string[], onMessage: (message: FeedMessage) => void): UsedFeed {
  const [used, setUsed] = useState<UsedFeed>({ feed: '', state: 'connecting' });
  useEffect(() => {
    feedState.value = used.state;
  }, [used.state]);
  useEffect(
    () => () => {
      feedState.value = undefined;
    },
    [],
  );
  const latest = useRef(onMessage);
  latest.current = onMessage;
  const key = topics.join(' ');
  useEffect(() => {
    const open = (): Feed =>
      new Feed(
        key.split(' ').filter(topic => topic !== ''),
        {
          onMessage: message => latest.current(message),
          onState: state => setUsed(before => ({ ...before, state })),
          onOpen: feed => setUsed({ feed, state: 'live' }),
        },
      );
    let current: Feed | undefined = open();
    let leaving: ReturnType<typeof clock.setTimeout> | undefined;
    const onSeen = (): void => {
      if (leaving !== undefined) clock.clearTimeout(leaving);
      leaving = undefined;
      if (document.hidden)
        leaving = clock.setTimeout(() => {
          current?.close();
          current = undefined;
          setUsed({ feed: '', state: 'hidden' });
        }, HIDDEN_MS);
      else current ??= open();
    };
    document.addEventListener('visibilitychange', onSeen);
    return () => {
      document.removeEventListener('visibilitychange', onSeen);
      if (leaving !== undefined) clock.clearTimeout(leaving);
      current?.close();
    };
  }, [key]);
  return used;
}
