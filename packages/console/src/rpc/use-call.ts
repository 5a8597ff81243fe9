import type { MsgError, RpcMethodName, RpcRequest, RpcResponse, Sparse } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import { signal } from '@preact/signals';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { clock } from '../app/clock.ts';
import { isSignedIn } from '../app/session.ts';
import { call } from './client.ts';

/** How often an open page asks again. */
const EVERY_MS = 5000;
/** How long a hidden page goes on asking. */
const HIDDEN_MS = 30_000;
/** How long an untouched page goes on asking: its questions would keep the session from its idle end. */
const UNTOUCHED_MS = 600_000;

let touchedAt = clock.monotonic();
for (const kind of ['pointermove', 'pointerdown', 'keydown', 'scroll'] as const) {
  addEventListener(
    kind,
    () => {
      touchedAt = clock.monotonic();
    },
    { passive: true },
  );
}

/** The truth about what the page shows: when it last came, and whether it comes. */
export const freshness = signal<{ readonly state: 'live' | 'paused' | 'stale'; readonly at: number }>({
  state: 'live',
  at: clock.now(),
});

/** Grows when everything that the page shows is asked anew. */
const round = signal(0);

/** Asks anew for everything that the page shows, after a change. */
export function reloadAll(): void {
  round.value++;
}

/** A call whose answer a page shows. */
export interface Call<T> {
  /** The last answer; it stays while the next one is waited for, and after an error. */
  readonly data: T | undefined;
  /** Why the last call failed. */
  readonly error: MsgError | undefined;
  /** When the answer came, Unix milliseconds. */
  readonly at: number;
  readonly isLoading: boolean;
  reload(): void;
}

interface State<T> {
  readonly data: T | undefined;
  readonly error: MsgError | undefined;
  readonly at: number;
  readonly isLoading: boolean;
}

export interface CallOptions {
  /** Asks again every five seconds while the page is seen. */
  readonly repeats?: boolean;
  /** Does not ask. */
  readonly skip?: boolean;
}

/** Calls a method for a page, again whenever the request changes. */
export function useCall<M extends RpcMethodName>(
  name: M,
  request: Sparse<RpcRequest<M>>,
  { repeats = false, skip = false }: CallOptions = {},
): Call<RpcResponse<M>> {
  const [state, setState] = useState<State<RpcResponse<M>>>({
    data: undefined,
    error: undefined,
    at: 0,
    isLoading: !skip,
  });
  const key = JSON.stringify(request);
  const latest = useRef(0);
  const ask = useCallback(async () => {
    const turn = ++latest.current;
    setState(before => ({ ...before, isLoading: true }));
    try {
      const data = await call(name, JSON.parse(key) as Sparse<RpcRequest<M>>);
      if (turn !== latest.current) return;
      freshness.value = { state: 'live', at: clock.now() };
      setState({ data, error: undefined, at: clock.now(), isLoading: false });
    } catch (error) {
      if (turn !== latest.current) return;
      if (freshness.value.state !== 'stale') freshness.value = { state: 'stale', at: freshness.value.at };
      setState(before => ({ ...before, error: toMsgError(error), isLoading: false }));
    }
  }, [name, key]);
  useEffect(() => {
    if (skip) return;
    void ask();
    return repeats ? repeat(() => void ask()) : undefined;
  }, [ask, skip, repeats, round.value]);
  useEffect(() => () => void latest.current++, []);
  return { ...state, reload: () => void ask() };
}

/** Runs work every five seconds, but not for a page that was hidden for half a minute. */
function repeat(work: () => void): () => void {
  let hiddenAt: number | undefined = document.hidden ? clock.monotonic() : undefined;
  let timer = clock.setTimeout(tick, EVERY_MS);
  function tick(): void {
    const now = clock.monotonic();
    const isForgotten = hiddenAt !== undefined && now - hiddenAt > HIDDEN_MS;
    if (isForgotten || now - touchedAt > UNTOUCHED_MS)
      freshness.value = { state: 'paused', at: freshness.value.at };
    // While the session is begun anew nothing is asked.
    else if (isSignedIn.value) work();
    timer = clock.setTimeout(tick, EVERY_MS);
  }
  const onSeen = (): void => {
    hiddenAt = document.hidden ? clock.monotonic() : undefined;
    if (!document.hidden && freshness.value.state === 'paused') work();
  };
  document.addEventListener('visibilitychange', onSeen);
  return () => {
    clock.clearTimeout(timer);
    document.removeEventListener('visibilitychange', onSeen);
  };
}
