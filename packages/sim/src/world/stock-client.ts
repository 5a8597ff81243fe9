import { defined } from '@msg/foundation/json';
import type { Centrifuge, SubscriptionOptions } from 'centrifuge';
import type { Actor } from '../kernel/actor.ts';
import type { WorldKernel } from '../kernel/world-kernel.ts';
import { type EndedSubscription, type Rest, type Seen, type Stop, textOf } from '../oracles/observations.ts';
import { noteCode } from './codes.ts';
import type { Company } from './company.ts';
import { servicePlace } from './service-place.ts';
import { type ClientKinds, drawBuild, PLAIN, type StockBuild, type Transport } from './stock-builds.ts';
import { drawTransport, transportOptions } from './stock-transports.ts';

type Subscription = ReturnType<Centrifuge['newSubscription']>;

/** A stock client, and what its application sees. */
export class StockClient {
  readonly #actor: Actor;
  readonly #kernel: WorldKernel;
  readonly #seen: (event: Seen) => void;
  readonly #ended: (end: EndedSubscription) => void;
  readonly #stopped: (stop: Stop) => void;
  readonly #subscriptions: Subscription[] = [];
  readonly #company: Company | undefined;
  #begunUs = 0;
  /** The id of its connection. */
  #connection = '';
  #staleAfterUs: number | undefined;
  /** What its client is; undefined before its start. */
  build: StockBuild | undefined;
  #client: Centrifuge | undefined;
  transport: Transport | undefined;

  constructor(
    kernel: WorldKernel,
    actor: Actor,
    { seen, ended, stopped, company }: Pick<ClientsParts, 'seen' | 'ended' | 'stopped' | 'company'>,
  ) {
    this.#kernel = kernel;
    this.#actor = actor;
    this.#seen = seen;
    this.#ended = ended;
    this.#stopped = stopped;
    this.#company = company;
  }

  /** Connects and subscribes; called once, by its actor. */
  start(channels: readonly string[], habits: Habits): void {
    const { kinds = PLAIN, options = {}, churnUntilMs = 0 } = habits;
    const stream = this.#actor.stream('client');
    const transport = drawTransport(this.#actor.stream('transport'), kinds);
    const build = drawBuild(transport, stream, this.#actor.stream('encoding'), kinds);
    const { isEarlier } = build;
    this.build = build;
    this.transport = transport;
    const [endpoint, parts] = transportOptions(transport, {
      actor: this.#actor,
      place: servicePlace(this.#kernel, this.#actor),
      isLikeBrowser: isEarlier || stream.chance(50),
      begun: () => {
        this.#begunUs = this.#kernel.nowUs;
      },
    });
    const client = build.make(endpoint, {
      ...parts,
      minReconnectDelay: stream.pick([50, 200, 500]),
      maxReconnectDelay: stream.pick([1000, 5000, 20_000]),
    });
    this.#client = client;
    for (const channel of channels) this.#follow(client.newSubscription(channel, options), build);
    client.on('connected', ({ client: id }) => {
      this.#connection = id;
    });
    client.on('connecting', ({ code }) => noteCode(this.#kernel, code));
    client.on('disconnected', ({ code }) => {
      noteCode(this.#kernel, code);
      if (code === STALE) this.#staleAfterUs = this.#kernel.nowUs - this.#begunUs;
      const stop = { client: this.#actor.name, begunUs: this.#begunUs, atUs: this.#kernel.nowUs, code };
      if (code >= SERVER_ENDS) this.#stopped(stop);
    });
    client.connect();
    // 5.7.4 delivers what is still on its way after an unsubscribe, and hears it again when it recovers.
    if (churnUntilMs > 0 && channels.length > 0 && !isEarlier) this.#churn(churnUntilMs, habits);
  }

  /** Unsubscribes now and then, and subscribes again soon. */
  #churn(untilMs: number, { churns = () => true, churnPausesMs = CHURN_PAUSES_MS }: Habits): void {
    const stream = this.#actor.stream('churn');
    const next = (): void => {
      setTimeout(
        () => {
          const nowMs = this.#kernel.nowUs / 1000;
          if (nowMs > untilMs) return;
          if (!churns(nowMs)) return next();
          const subscription = stream.pick(this.#subscriptions);
          subscription.unsubscribe();
          setTimeout(
            () => {
              subscription.subscribe();
              next();
            },
            stream.pick([0, 0, 50, 3000]),
          );
        },
        stream.between(...churnPausesMs),
      );
    };
    next();
  }

  /** Its application closes the connection. */
  leave(): void {
    this.#client?.disconnect();
  }

  /** Its application opens the connection again. */
  comeBack(): void {
    this.#client?.connect();
  }

  /** Asks who is in its channels. */
  look(): void {
    void this.#company?.look(this.#actor.name, this.#subscriptions);
  }

  /** Where its subscriptions are now. */
  rests(): Rest[] {
    const stale = this.#staleAfterUs === undefined ? {} : { staleAfterUs: this.#staleAfterUs };
    return this.#subscriptions.map(({ channel, state }) => ({
      client: this.#actor.name,
      channel,
      isSubscribed: state === 'subscribed',
      ...stale,
    }));
  }

  #follow(subscription: Subscription, { payloadOf }: StockBuild): void {
    this.#subscriptions.push(subscription);
    this.#company?.follow(this.#actor.name, () => this.#connection, subscription);
    const base = { client: this.#actor.name, channel: subscription.channel };
    let begunUs = 0;
    subscription.on('subscribing', ({ code }) => {
      begunUs = this.#kernel.nowUs;
      noteCode(this.#kernel, code);
      if (code >= SERVER_ENDS) this.#ended({ ...base, atUs: begunUs, code });
    });
    subscription.on('subscribed', ({ wasRecovering, recovered, streamPosition }) => {
      this.#seen({
        ...base,
        kind: 'subscribed',
        atUs: this.#kernel.nowUs,
        begunUs: Math.max(begunUs, this.#begunUs),
        epoch: streamPosition?.epoch ?? '',
        offset: Number(streamPosition?.offset ?? 0),
        wasRecovering,
        recovered,
      });
    });
    subscription.on('publication', ({ offset = 0, data }) => {
      this.#seen({
        ...base,
        kind: 'publication',
        atUs: this.#kernel.nowUs,
        offset: Number(offset), // of a Protobuf client of 5.7.4 it is a `Long`
        text: textOf(payloadOf(data)),
      });
    });
    subscription.subscribe();
  }
}

/** The socket was open and no connect came in time. */
const STALE = 3502;
/** The first code of an end that the service decided. */
const SERVER_ENDS = 2000;
/** Between two changes of what a client subscribes to, where that is not said. */
const CHURN_PAUSES_MS = [500, 20_000] as const;

/** What an application does with its subscriptions. */
interface Habits {
  /** Absent: JSON. */
  readonly kinds?: ClientKinds;
  readonly options?: Partial<SubscriptionOptions>;
  /** Until then it unsubscribes now and then and subscribes again; 0 or absent: it does not. */
  readonly churnUntilMs?: number;
  /** Whether it does so at a moment before; absent: at every one. */
  readonly churns?: (ms: number) => boolean;
  /** Between two of them. */
  readonly churnPausesMs?: readonly [least: number, most: number];
}

interface ClientsParts extends Habits {
  readonly count: number;
  /** Only the clients of these numbers start; absent: all. */
  readonly only?: readonly number[] | undefined;
  readonly channels: readonly string[];
  /** Only what is in these channels is followed; absent: in all. */
  readonly onlyChannels?: readonly number[] | undefined;
  readonly seen: (event: Seen) => void;
  readonly ended: (end: EndedSubscription) => void;
  readonly stopped: (stop: Stop) => void;
  /** Absent: who is in a channel is not watched. */
  readonly company?: Company;
}

/** Starts clients, each of which follows some of the channels. */
export function startClients(
  kernel: WorldKernel,
  { count, only, channels, onlyChannels, seen, ended, stopped, company, ...habits }: ClientsParts,
): { readonly actor: Actor; readonly client: StockClient }[] {
  return Array.from({ length: count }, (_, i) => {
    const actor = kernel.actor(`client ${i}`);
    const client = new StockClient(kernel, actor, { seen, ended, stopped, ...defined({ company }) });
    const draw = kernel.stream(`world of client ${i}`);
    const surely = draw.pick(channels);
    const wanted = channels.filter((channel, number) => {
      const isWanted = draw.chance(70) || channel === surely;
      return isWanted && (onlyChannels?.includes(number) ?? true);
    });
    const atMs = draw.between(100, 3000);
    if (only === undefined || only.includes(i))
      kernel.at(atMs, actor, 'start', () => client.start(wanted, habits));
    for (const lookMs of company?.looksAtMs ?? []) kernel.at(lookMs, actor, 'look', () => client.look());
    return { actor, client };
  });
}

/** How many clients of a run have what. */
export function kindsOf(
  clients: readonly { readonly client: StockClient }[],
): Readonly<Record<'protobuf' | 'httpStream' | 'sse', number>> {
  const having = (wanted: (client: StockClient) => boolean): number =>
    clients.filter(({ client }) => wanted(client)).length;
  return {
    protobuf: having(({ build }) => build?.encoding === 'protobuf'),
    httpStream: having(({ transport }) => transport === 'http_stream'),
    sse: having(({ transport }) => transport === 'sse'),
  };
}
