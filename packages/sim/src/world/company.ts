import type { Centrifuge } from 'centrifuge';
import type { WorldKernel } from '../kernel/world-kernel.ts';
import type { CompanyRecord, Look, Notice, Stay } from '../oracles/company.ts';

type Subscription = ReturnType<Centrifuge['newSubscription']>;

interface CompanyParts extends Pick<CompanyRecord, 'lingersUs' | 'isToldAll'> {
  readonly looksAtMs: readonly number[];
}

/** Who is in which channel as the clients themselves know it, and what they are told of each other. */
export class Company implements CompanyRecord {
  readonly stays: (Stay & { untilUs: number })[] = [];
  readonly notices: Notice[] = [];
  readonly looks: Look[] = [];
  readonly lingersUs: number;
  readonly isToldAll: boolean;
  /** When every client asks who is in its channels. */
  readonly looksAtMs: readonly number[];
  readonly #kernel: WorldKernel;

  constructor(kernel: WorldKernel, { lingersUs, isToldAll, looksAtMs }: CompanyParts) {
    this.#kernel = kernel;
    this.looksAtMs = looksAtMs;
    this.lingersUs = lingersUs;
    this.isToldAll = isToldAll;
  }

  /** Writes down when a client is in a channel, and what it hears of the others there. */
  follow(client: string, connectionOf: () => string, subscription: Subscription): void {
    const base = { client, channel: subscription.channel };
    let stay: (Stay & { untilUs: number }) | undefined;
    const ended = (): void => {
      if (stay !== undefined) stay.untilUs = this.#kernel.nowUs;
      stay = undefined;
    };
    subscription.on('subscribed', () => {
      ended();
      const { nowUs } = this.#kernel;
      stay = { ...base, connection: connectionOf(), fromUs: nowUs, untilUs: Number.POSITIVE_INFINITY };
      this.stays.push(stay);
    });
    subscription.on('subscribing', ended);
    subscription.on('unsubscribed', ended);
    const note = (kind: Notice['kind'], connection: string): void => {
      this.notices.push({ ...base, kind, connection, atUs: this.#kernel.nowUs });
    };
    subscription.on('join', ({ info }) => note('join', info.client));
    subscription.on('leave', ({ info }) => note('leave', info.client));
  }

  /** A client asks who is in its channels. */
  async look(client: string, subscriptions: readonly Subscription[]): Promise<void> {
    await Promise.all(
      subscriptions.map(async subscription => {
        if (subscription.state !== 'subscribed') return;
        const askedUs = this.#kernel.nowUs;
        const answer = await Promise.all([subscription.presence(), subscription.presenceStats()]).catch(
          () => undefined,
        );
        this.looks.push({
          client,
          channel: subscription.channel,
          askedUs,
          atUs: this.#kernel.nowUs,
          present: answer && Object.keys(answer[0].clients),
          count: answer && Number(answer[1].numClients), // of a Protobuf client of 5.7.4 it is a `Long`
        });
      }),
    );
  }
}
