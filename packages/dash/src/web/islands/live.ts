import { systemClock, systemRandom, type TimerHandle } from '@msg/foundation/clock';
import { query } from './settings.ts';

/** How long until a refused connection is tried again. */
const RETRY_MS = 10_000;
const SHORTEST_REFRESH_S = 5;
const UNIT_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

export interface LiveEvents {
  /** The document is another one than the page shows. */
  changed(revision: string): void;
  gone(): void;
  /** The rows of these items have changed at their source. */
  items(ids: readonly string[]): void;
  connected(isConnected: boolean): void;
}

/** Listens for changes of the document. A hidden tab does not listen, and catches up when it is shown. */
export function listen(api: string, events: LiveEvents): void {
  let source: EventSource | undefined;
  let retry: TimerHandle | undefined;
  const close = (): void => {
    if (retry !== undefined) systemClock.clearTimeout(retry);
    source?.close();
    source = undefined;
  };
  const open = (): void => {
    close();
    if (document.hidden) return;
    source = new EventSource(`${api}/events`);
    source.onopen = () => events.connected(true);
    source.onerror = () => {
      events.connected(false);
      if (source?.readyState === EventSource.CLOSED) retry = systemClock.setTimeout(open, RETRY_MS);
    };
    source.addEventListener('document', ({ data }) => {
      events.changed((JSON.parse(String(data)) as { revision: string }).revision);
    });
    source.addEventListener('items', ({ data }) => {
      events.items((JSON.parse(String(data)) as { ids: string[] }).ids);
    });
    source.addEventListener('gone', () => events.gone());
  };
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  globalThis.addEventListener('pagehide', close);
  open();
}

/**
 * Asks again at the interval of `$refresh`, else at that of the connections, in tabs that are shown, spread so that pages do
 * not ask together.
 * @param usual seconds that the connections of the page say.
 */
export function refreshRegularly(refresh: () => Promise<void>, usual: number | undefined): void {
  const wait = (): void => {
    const seconds = secondsOf(query().get('$refresh')) ?? usual;
    const spread = 0.9 + 0.2 * systemRandom.fraction();
    systemClock.setTimeout(
      async () => {
        try {
          if (seconds !== undefined && !document.hidden) await refresh();
        } finally {
          wait(); // also after an answer that a proxy gave in place of the server
        }
      },
      (seconds ?? SHORTEST_REFRESH_S) * spread * 1_000,
    );
  };
  wait();
}

/** Seconds of a text such as `30s`, never under five; undefined for any other text. */
function secondsOf(text: string | null): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,4})([smh])$/.exec(text ?? '') ?? [];
  return count === '' ? undefined : Math.max(SHORTEST_REFRESH_S, Number(count) * (UNIT_S[unit] ?? 1));
}
