import type { Centrifuge, Subscription } from 'centrifuge';
import { DashError } from '../../errors.ts';
import type { SourceTools } from '../source.ts';
import { type Publication, Publications } from './publications.ts';

/** Error codes of the protocol: a subscriber may not read the history, or the channel has none. */
const NO_HISTORY: ReadonlySet<number> = new Set([103, 108]);

/** A channel that is listened to: what it published last, or why that is not known. */
export type FeedState =
  | { readonly is: 'opening' }
  | { readonly is: 'open' }
  | { readonly is: 'failed'; readonly error: DashError };

/**
 * One subscription: history, live publications and recovery by the stock client. What is lost in between is read again
 * from the history.
 */
export class Feed {
  readonly #client: Centrifuge;
  readonly #publications: Publications;
  readonly #subscription: Subscription;
  readonly #tools: SourceTools;
  #most: number;
  readonly #onChange: () => void;
  #state: FeedState = { is: 'opening' };
  /** The history was read once; from then on the client recovers what is missed. */
  #isRead = false;
  /** Publications that come while the history is being read. */
  #early: Publication[] | undefined;
  #warning: string | undefined;

  /** @param onChange is called when rows or state have changed. */
  constructor(client: Centrifuge, channel: string, most: number, tools: SourceTools, onChange: () => void) {
    this.#client = client;
    this.#publications = new Publications(most);
    this.#most = most;
    this.#tools = tools;
    this.#onChange = onChange;
    this.#subscription = client.newSubscription(channel, { recoverable: true, positioned: true });
    this.#subscription.on('publication', publication => this.#received(publication as Publication));
    this.#subscription.on('subscribed', ({ wasRecovering, recovered, recoverable }) => {
      const isComplete = this.#isRead && ((wasRecovering && recovered) || !recoverable);
      if (isComplete) this.#become({ is: 'open' });
      else void this.#readHistory();
    });
    this.#subscription.on('error', ({ error }) => this.fail(error));
    this.#subscription.on('unsubscribed', ({ code, reason }) => {
      if (code !== 0) this.fail({ code, message: reason });
    });
    this.#subscription.subscribe();
  }

  get state(): FeedState {
    return this.#state;
  }

  get publications(): Publications {
    return this.#publications;
  }

  /** What a reader of the rows must know. */
  get warning(): string | undefined {
    return this.#warning;
  }

  /** Keeps at least so many publications; what is not there yet is read. */
  want(most: number): void {
    if (most <= this.#most) return;
    this.#most = most;
    this.#publications.most = most;
    this.#isRead = false;
    if (this.#subscription.state !== 'subscribed') return;
    this.#state = { is: 'opening' };
    void this.#readHistory();
  }

  /** Tries again what ended for good, or what the history was refused to. */
  retry(): void {
    if (this.#state.is !== 'failed') return;
    const { state } = this.#subscription;
    if (state === 'subscribing') return; // the client tries by itself
    this.#state = { is: 'opening' };
    if (state === 'subscribed') void this.#readHistory();
    else this.#subscription.subscribe();
  }

  /** Its rows are not those of now: the connection failed, or the channel refuses. */
  fail({ code, message }: { readonly code: number; readonly message: string }): void {
    const reason = this.#tools.upstreamText(message);
    const text = `The channel cannot be read: ${reason} (${code}).`;
    this.#become({ is: 'failed', error: new DashError('QUERY_FAILED', text, { code, reason }) });
  }

  /** As {@link fail}, for a failure before the protocol. */
  failWith(error: DashError): void {
    this.#become({ is: 'failed', error });
  }

  end(): void {
    this.#subscription.removeAllListeners();
    // The client makes no second subscription to a channel that it still knows.
    this.#client.removeSubscription(this.#subscription);
  }

  #received(publication: Publication): void {
    if (this.#early !== undefined) this.#early.push(publication);
    else if (this.#publications.add(publication)) this.#onChange();
  }

  async #readHistory(): Promise<void> {
    const early: Publication[] = [];
    this.#early = early;
    try {
      const { publications, offset } = await this.#subscription.history({ limit: this.#most, reverse: true });
      if (this.#early !== early) return; // it was subscribed again meanwhile
      this.#publications.replace((publications as Publication[]).toReversed(), offset);
      this.#warning = undefined;
    } catch (error) {
      if (this.#early !== early) return;
      const { code, message } = error as { readonly code: number; readonly message: string };
      if (!NO_HISTORY.has(code)) {
        this.#early = undefined;
        this.fail({ code, message });
        return;
      }
      this.#warning = 'The channel shows no history: these are the publications since the first viewer came.';
    }
    this.#early = undefined;
    this.#isRead = true;
    for (const publication of early) this.#publications.add(publication);
    this.#become({ is: 'open' });
  }

  #become(state: FeedState): void {
    this.#state = state;
    this.#onChange();
  }
}
