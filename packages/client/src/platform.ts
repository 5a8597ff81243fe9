/** The parts of browsers and Node.js that the wrapper uses, without a type library of either. */
export interface FetchResponse {
  readonly status: number;
  text(): Promise<string>;
}

interface RequestInit {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: unknown;
}

/** The standard `fetch`, as far as it is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<FetchResponse>;

interface EventSourceLike {
  addEventListener(type: string, listener: () => void): void;
  removeEventListener(type: string, listener: () => void): void;
}

/** The standard `AbortSignal`, as far as it is used. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A channel between the tabs of one origin. */
export interface TabChannel {
  postMessage(message: unknown): void;
  close(): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

/** Storage of one tab. */
export interface TabStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

interface Platform {
  readonly fetch: (url: string, init: object) => Promise<FetchResponse>;
  setTimeout(task: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
  readonly AbortSignal: { timeout(ms: number): unknown };
  readonly BroadcastChannel?: new (name: string) => TabChannel;
  readonly sessionStorage?: TabStorage;
  readonly localStorage?: TabStorage;
  readonly navigator?: {
    readonly locks?: { request<T>(name: string, work: () => Promise<T>): Promise<T> };
  };
  readonly document?: EventSourceLike & { readonly visibilityState: string };
  readonly addEventListener?: EventSourceLike['addEventListener'];
  readonly removeEventListener?: EventSourceLike['removeEventListener'];
}

export const platform = globalThis as unknown as Platform;

/** Runs a task later. Returns a function that cancels it. */
export function setTimer(ms: number, task: () => void): () => void {
  const handle = platform.setTimeout(task, ms);
  return () => platform.clearTimeout(handle);
}

/**
 * Calls back when the page may resume from sleep: it is visible again, or the network is back. Returns a function that
 * stops it; without a page it never calls.
 */
export function onResume(callback: () => void): () => void {
  const { document } = platform;
  const visible = (): void => {
    if (document?.visibilityState === 'visible') callback();
  };
  const change = (method: 'addEventListener' | 'removeEventListener'): void => {
    document?.[method]('visibilitychange', visible);
    for (const type of ['online', 'pageshow']) platform[method]?.(type, callback);
  };
  change('addEventListener');
  return () => change('removeEventListener');
}
