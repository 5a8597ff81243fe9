// What the test and its page agree on; no types of React or of the page, which are not those of Node.js.
import type { MsgClientOptions } from '@msg/client';

/** What a page shows. */
export interface Shown {
  readonly channel: string;
  /** Components on the channel. */
  readonly rows?: number;
  readonly keep?: number;
  readonly enabled?: boolean;
  /** What the callback of the newest render says. */
  readonly label?: string;
  /** Shows a component that suspends until `release`. */
  readonly suspended?: boolean;
  /** Shows a component to which a publication comes between its render and its effects. */
  readonly late?: boolean;
  readonly presence?: boolean;
}

export interface StartOptions {
  readonly client: MsgClientOptions;
  /** Asks `credentials` of the page when there are none. */
  readonly asks?: boolean;
  readonly hydrate?: boolean;
}

/** What happened in a page. */
export interface Seen {
  /** Calls of `onPublication`: the label of the render and the number of the publication. */
  readonly calls: string[];
  /** Calls of `getCredentials`, and what it answers. */
  asked: number;
  credentials: unknown;
  readonly terminal: string[];
}

export interface PageModule {
  readonly seen: Seen;
  start(options: StartOptions, shown: Shown): void;
  show(shown: Shown): void;
  unmount(): void;
  releaseSuspended(): void;
  /** What a bundler does when the file of a component was saved. */
  refresh(): void;
  refreshToken(): Promise<string>;
}
