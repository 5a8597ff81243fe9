import { platform, setTimer, type TabChannel } from '../platform.ts';
import { inspectScopes } from '../scopes.ts';
import { isTokenPair, type TokenPair, type TokenStore } from './token-store.ts';

/** How long a tab waits for the answer of the others. */
const ANSWER_MS = 100;
const SURE_ANSWER_MS = 5000;

type Note =
  | { readonly kind: 'ask' }
  | { readonly kind: 'pair'; readonly pair: TokenPair }
  | { readonly kind: 'clear' };

/**
 * When a pair was issued, Unix seconds. The expiries do not show it: an access token may outlive the next one, which ends
 * with the refresh token that was redeemed for it. For unreadable tokens the end of the refresh token counts.
 */
function madeAt({ accessToken, refreshToken, refreshExp }: TokenPair): number {
  return inspectScopes(accessToken || refreshToken)?.issuedAt || refreshExp;
}

/**
 * One pair for all tabs of an origin: the refreshing tab informs the others, and only one refreshes at a time. The pair
 * is in memory and ends with the last tab. The lock is the browser's (Web Locks, secure contexts only); without it two
 * tabs may redeem one refresh token, and the second redemption signs all tabs out.
 */
export class BroadcastTokenStore implements TokenStore {
  readonly #name: string;
  readonly #channel: TabChannel;
  #pair: TokenPair | null = null;
  #asked = false;
  /** Called when another tab answers. */
  #answered: (() => void) | null = null;

  /** `name` distinguishes several sign-ins of one origin. */
  constructor(name = 'msg.tokens') {
    const { BroadcastChannel } = platform;
    if (BroadcastChannel === undefined) throw new TypeError('there is no BroadcastChannel here');
    this.#name = name;
    this.#channel = new BroadcastChannel(name);
    this.#channel.addEventListener('message', ({ data }) => this.#receive(data as Note)); // only this class posts here
  }

  /** This tab's pair, else that of another tab. */
  async get(): Promise<TokenPair | null> {
    if (this.#pair === null && !this.#asked) await this.#ask();
    return this.#pair;
  }

  async set(pair: TokenPair): Promise<void> {
    this.#pair = pair;
    this.#mark(pair);
    this.#post({ kind: 'pair', pair });
  }

  async clear(): Promise<void> {
    this.#pair = null;
    this.#post({ kind: 'clear' });
  }

  /** Runs work while no other tab does, with the newest pair of all tabs. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    const informed = async (): Promise<T> => {
      await this.#ask();
      return work();
    };
    const locks = platform.navigator?.locks;
    return locks === undefined ? informed() : locks.request(`${this.#name}.refresh`, informed);
  }

  /** Stops listening to the other tabs. */
  close(): void {
    this.#channel.close();
  }

  #post(note: Note): void {
    this.#channel.postMessage(note);
  }

  async #ask(): Promise<void> {
    this.#asked = true;
    await new Promise<void>(resolve => {
      const cancel = setTimer(this.#isBehind() ? SURE_ANSWER_MS : ANSWER_MS, resolve);
      this.#answered = () => {
        cancel();
        resolve();
      };
      this.#post({ kind: 'ask' });
    });
    this.#answered = null;
  }

  /** Stores, for present and later tabs, only the issue time of the newest pair. */
  #mark(pair: TokenPair): void {
    try {
      platform.localStorage?.setItem(this.#name, String(madeAt(pair)));
    } catch {
      // without the mark a slow tab may be overheard
    }
  }

  /** Whether another tab has a newer pair, for which this tab then waits. */
  #isBehind(): boolean {
    try {
      const newest = Number(platform.localStorage?.getItem(this.#name) ?? 0);
      return this.#pair !== null && newest > madeAt(this.#pair);
    } catch {
      return false;
    }
  }

  #receive(note: Note): void {
    if (note.kind === 'clear') this.#pair = null;
    else if (note.kind === 'ask') {
      if (this.#pair !== null) this.#post({ kind: 'pair', pair: this.#pair });
    } else if (isTokenPair(note.pair) && (this.#pair === null || madeAt(note.pair) >= madeAt(this.#pair))) {
      const isNew = note.pair.accessToken !== this.#pair?.accessToken;
      this.#pair = note.pair;
      if (isNew) this.#answered?.();
    }
  }
}
