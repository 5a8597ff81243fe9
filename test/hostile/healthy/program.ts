// A stock client that subscribes and publishes all the time, in a process of its own: what it sees while others attack
// is what every user sees. Its parent asks for reports over the channel of `fork`.
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@msg/testkit';
import { Centrifuge } from 'centrifuge';
import type { HealthyReport, HealthyRequest } from './messages.ts';

const PERIOD_MS = 20;
/** After the last publish everything that was taken must arrive within this time. */
const ARRIVAL_MS = 15_000;
const [url = '', token = '', channel = ''] = process.argv.slice(2);

/** One stretch of time. */
class Stretch {
  readonly #sentAt = new Map<number, number>();
  readonly #taken = new Set<number>();
  readonly #arrivals = new Map<number, number>();
  readonly #latenciesMs: number[] = [];
  retried = 0;
  failed = 0;
  failure = '';
  reconnected = 0;

  sending(sequence: number): void {
    this.#sentAt.set(sequence, performance.now());
  }

  taken(sequence: number): void {
    this.#taken.add(sequence);
  }

  arrived(sequence: number): void {
    const sentAt = this.#sentAt.get(sequence);
    if (sentAt === undefined) return; // of the stretch before
    const times = this.#arrivals.get(sequence) ?? 0;
    this.#arrivals.set(sequence, times + 1);
    if (times === 0) this.#latenciesMs.push(performance.now() - sentAt);
  }

  get missed(): number {
    return [...this.#taken].filter(sequence => !this.#arrivals.has(sequence)).length;
  }

  report(): HealthyReport {
    const sorted = this.#latenciesMs.sort((a, b) => a - b);
    const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
    return {
      published: this.#taken.size,
      retried: this.retried,
      failed: this.failed,
      failure: this.failure,
      received: this.#arrivals.size,
      missed: this.missed,
      doubled: [...this.#arrivals.values()].filter(times => times > 1).length,
      reconnected: this.reconnected,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
    };
  }
}

let stretch = new Stretch();
let publishing = false;
let sequence = 0;
const underWay = new Set<Promise<void>>();

async function publish(number: number): Promise<void> {
  const { signal } = controller;
  const sent = stretch;
  sent.sending(number);
  for (;;) {
    const response = await fetch(`${url}/twirp/msg.MsgService/Publish`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ name: channel, data: btoa(JSON.stringify({ number })) }),
      signal,
    });
    const text = await response.text();
    if (response.ok) return sent.taken(number);
    if (response.status !== 503) throw new Error(`publish: ${response.status} ${text}`);
    sent.retried++;
    await wait(100);
  }
}

async function publishAgainAndAgain(): Promise<void> {
  while (publishing) {
    const during = stretch;
    const work = publish(sequence++).catch((error: Error) => {
      during.failed++;
      during.failure ||= `${error.message} ${error.cause ?? ''}`;
    });
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
    await wait(PERIOD_MS);
  }
}

async function end(): Promise<HealthyReport> {
  publishing = false;
  await Promise.all(underWay);
  await eventually('everything arrives', () => stretch.missed === 0, ARRIVAL_MS).catch(() => {});
  return stretch.report();
}

const controller = new AbortController();
const client = new Centrifuge(`${url.replace('http', 'ws')}/connection/websocket`, {
  minReconnectDelay: 10,
  maxReconnectDelay: 100,
});
const subscription = client.newSubscription(channel);
subscription.on('publication', ({ data }) => stretch.arrived((data as { number: number }).number));
client.on('connecting', () => {
  stretch.reconnected++;
});
client.on('error', () => {});
client.connect();
subscription.subscribe();
await subscription.ready(15_000);

process.on('message', (request: HealthyRequest) => {
  if (request === 'begin') {
    stretch = new Stretch();
    publishing = true;
    void publishAgainAndAgain();
  } else void end().then(report => process.send?.(report));
});
process.on('disconnect', () => {
  controller.abort();
  client.disconnect();
  publishing = false;
});
process.send?.('ready');
