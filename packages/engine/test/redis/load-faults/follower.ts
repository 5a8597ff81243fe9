import { Centrifuge } from 'centrifuge';
import { WebSocket } from 'ws';
import { CHANNELS, type Numbered } from './channels.ts';

const RETRY = { minReconnectDelay: 50, maxReconnectDelay: 500, timeout: 5000 };
const RESUBSCRIBE = { minResubscribeDelay: 50, maxResubscribeDelay: 500 };

/** What one channel brought to a follower. */
class Track {
  next = 0;
  received = 0;
  /** A loss was told: the next publication may have any number that was not received yet. */
  admitted = false;
}

/** A stock client that is subscribed to all channels and holds every publication against the one before it. */
export class Follower {
  /** What must not be: a number lost or repeated without a word. */
  readonly faults: string[] = [];
  /** Resubscribes that were whole, and that said they were not. */
  recovered = 0;
  unrecovered = 0;
  readonly #client: Centrifuge;
  readonly #tracks = new Map<string, Track>();

  /** Connects to the first of `urls`, and with every further try to the next one. */
  constructor(urls: readonly string[]) {
    let tries = 0;
    class NextNode extends WebSocket {
      constructor(_url: string, protocols?: string | string[]) {
        super(urls[tries++ % urls.length] as string, protocols);
      }
    }
    this.#client = new Centrifuge(urls[0] as string, { websocket: NextNode, ...RETRY });
    for (const channel of CHANNELS) this.#follow(channel);
  }

  async connect(withinMs: number): Promise<void> {
    this.#client.connect();
    await Promise.all(CHANNELS.map(channel => this.#client.getSubscription(channel)?.ready(withinMs)));
  }

  get received(): number {
    return [...this.#tracks.values()].reduce((sum, { received }) => sum + received, 0);
  }

  /** The number that the channel has to bring next. */
  next(channel: string): number {
    return this.#tracks.get(channel)?.next ?? 0;
  }

  /** A loss was told, and nothing came since. */
  wasTold(channel: string): boolean {
    return this.#tracks.get(channel)?.admitted === true;
  }

  close(): void {
    this.#client.disconnect();
  }

  #follow(channel: string): void {
    const track = new Track();
    this.#tracks.set(channel, track);
    const subscription = this.#client.newSubscription(channel, RESUBSCRIBE);
    subscription.on('subscribed', ({ wasRecovering, recovered }) => {
      if (!wasRecovering) return;
      if (recovered) this.recovered++;
      else {
        this.unrecovered++;
        track.admitted = true;
      }
    });
    subscription.on('publication', ({ data }) => this.#check(channel, track, (data as Numbered).n));
    subscription.subscribe();
  }

  #check(channel: string, track: Track, n: number): void {
    track.received++;
    const { next, admitted } = track;
    // The publish whose outcome was unknown when the data vanished is the only one that comes twice, after the word.
    if (n === next || (admitted && n >= next - 1)) {
      track.next = n + 1;
      track.admitted = false;
      return;
    }
    this.faults.push(`${channel}: ${n} instead of ${next}`);
    track.next = Math.max(next, n + 1);
  }
}
