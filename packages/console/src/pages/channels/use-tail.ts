import type { MsgError } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import { useEffect, useRef, useState } from 'preact/hooks';
import { clock } from '../../app/clock.ts';
import { useFeed } from '../../feed/use-feed.ts';
import { call } from '../../rpc/client.ts';
import { batchOf, begun, EMPTY_VIEW, ended, polled, received, type TailView } from './tail.ts';

/** How often the page polls where no connection is possible. */
const EVERY_MS = 5000;
const POLLED = 20;

export interface TailOptions {
  readonly name: string;
  /** Publications a second, at most. */
  readonly rate: number;
  /** Only publications with all of these. */
  readonly tags: ReadonlyMap<string, string>;
  readonly isPaused: boolean;
}

/** Follows the publications of a channel without subscribing to it. */
export function useTail({ name, rate, tags, isPaused }: TailOptions): {
  readonly view: TailView;
  readonly state: ReturnType<typeof useFeed>['state'];
  readonly fault: MsgError | undefined;
} {
  const [view, setView] = useState<TailView>(EMPTY_VIEW);
  const [fault, setFault] = useState<MsgError>();
  const tail = useRef('');
  const { feed, state } = useFeed([], ({ topic, data }) => {
    if (topic !== 'tail') return;
    const batch = batchOf(data);
    if (batch.tail === tail.current) setView(before => received(before, batch));
  });
  const ofFeed = useRef('');
  const tagsKey = JSON.stringify([...tags]);
  useEffect(() => {
    if (feed === '' || isPaused) return;
    let isOver = false;
    let started = '';
    // The last batch of a tail still comes.
    const stop = (): void => void call('StopTail', { feed, tail: started }).catch(() => {});
    call('StartTail', { feed, name, max_per_second: rate, tags })
      .then(answer => {
        started = answer.tail;
        if (isOver) return stop();
        tail.current = started;
        setFault(undefined);
        const isAnew = ofFeed.current !== '' && ofFeed.current !== feed;
        ofFeed.current = feed;
        setView(before =>
          begun(isAnew ? ended(before, 'its node is gone, or its feed is over') : before, answer),
        );
      })
      .catch((error: unknown) => setFault(toMsgError(error)));
    return () => {
      isOver = true;
      if (started !== '') stop();
    };
  }, [feed, name, rate, tagsKey, isPaused]);
  usePolling(state === 'unreachable' && !isPaused, name, setView);
  return { view, state, fault };
}

/** Asks for the newest publications where no connection is possible. */
function usePolling(
  isOn: boolean,
  name: string,
  setView: (change: (view: TailView) => TailView) => void,
): void {
  useEffect(() => {
    if (!isOn) return;
    const ask = async (): Promise<void> => {
      const page = await call('History', { name, reverse: true, limit: POLLED }).catch(() => undefined);
      if (page !== undefined) setView(view => polled(view, page));
    };
    void ask();
    let timer = clock.setTimeout(again, EVERY_MS);
    function again(): void {
      void ask();
      timer = clock.setTimeout(again, EVERY_MS);
    }
    return () => clock.clearTimeout(timer);
  }, [isOn, name]);
}
