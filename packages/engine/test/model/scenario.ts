import type { BrokerOperation } from '@msg/engine/testing';
import type { LinkKind } from './client.ts';
import { Prng } from './prng.ts';

export interface ChannelSetup {
  readonly size: number;
  readonly ttlMs: number;
  readonly delta: boolean;
  readonly compaction: boolean;
  readonly presence: boolean;
  readonly joinLeave: boolean;
}

/** Where a subscribe says the client stopped. */
export type Start =
  /** Wherever it stopped last; if it never followed the channel, nowhere. */
  | { readonly at: 'last' }
  /** No recovery is asked for. */
  | { readonly at: 'now' }
  /** So many publications before the top (below zero: beyond it), with or without the epoch. */
  | { readonly at: 'guess'; readonly behind: number; readonly epoch: 'right' | 'empty' | 'wrong' };

/** One step of a scenario. Clients and channels are numbers; a step that makes no sense does nothing. */
export type Operation =
  | {
      readonly do: 'publish';
      readonly channel: number;
      /** The publishing client; −1: the server. */
      readonly by: number;
      readonly body: 'similar' | 'unlike' | 'umlauts';
      readonly delta: boolean;
    }
  | {
      readonly do: 'subscribe';
      readonly client: number;
      readonly channel: number;
      readonly start: Start;
      readonly delta: boolean;
      readonly compaction: boolean;
      readonly rejectUnrecovered: boolean;
    }
  | { readonly do: 'unsubscribe'; readonly client: number; readonly channel: number }
  | {
      readonly do: 'server-unsubscribe';
      /** −1: everybody. */
      readonly client: number;
      readonly channel: number;
      readonly code: number;
    }
  | { readonly do: 'connect'; readonly client: number }
  | { readonly do: 'hang-up'; readonly client: number }
  | { readonly do: 'server-disconnect'; readonly client: number; readonly code: number }
  | { readonly do: 'stop-reading'; readonly client: number }
  | { readonly do: 'read-again'; readonly client: number }
  | { readonly do: 'drop'; readonly channel: number; readonly times: number }
  | { readonly do: 'hold'; readonly channel: number }
  | { readonly do: 'pass-held'; readonly channel: number; readonly count: number }
  | { readonly do: 'drop-held'; readonly channel: number; readonly count: number }
  | { readonly do: 'end-hold'; readonly channel: number }
  | {
      readonly do: 'delay';
      readonly channel: number;
      readonly operation: BrokerOperation;
      readonly moment: 'before' | 'after';
      readonly times: number;
    }
  | { readonly do: 'open-gate'; readonly channel: number; readonly choice: number }
  | { readonly do: 'fail'; readonly channel: number; readonly operation: BrokerOperation }
  | { readonly do: 'change-epoch'; readonly channel: number }
  | { readonly do: 'trim'; readonly channel: number }
  | { readonly do: 'advance'; readonly ms: number };

/** How far things go on between a step and the next: so many rounds of microtasks, or whole turns. */
export interface Breath {
  readonly microtasks: number;
  readonly turns: number;
}

export interface Step {
  readonly operation: Operation;
  readonly breath: Breath;
}

/** How a run ends. `calm`: with everything set right, delivered and checked. */
export type Ending = 'calm, then goodbye' | 'calm, then shutdown' | 'goodbye amid the storm';

export interface Scenario {
  readonly seed: number;
  readonly channels: readonly ChannelSetup[];
  readonly clients: readonly LinkKind[];
  readonly recoveryItems: number;
  readonly steps: readonly Step[];
  readonly ending: Ending;
}

/** Everything about one run, from its seed. */
export function scenarioOf(seed: number): Scenario {
  const prng = new Prng(seed);
  const channels = Array.from({ length: prng.chance(25) ? 2 : 1 }, () => channelSetup(prng));
  const clients = Array.from({ length: prng.between(1, 3) }, () =>
    prng.pick<LinkKind>(['json', 'json', 'protobuf', 'in-process']),
  );
  const size = { clients: clients.length, channels: channels.length };
  const opening = clients.flatMap((_, client) => opened(prng, client));
  const storm = Array.from({ length: prng.between(8, 36) }, () => step(prng, operation(prng, size)));
  return {
    seed,
    channels,
    clients,
    recoveryItems: prng.chance(15) ? 3 : 0,
    steps: [...opening, ...storm],
    ending: prng.pick<Ending>([
      'calm, then goodbye',
      'calm, then goodbye',
      'calm, then shutdown',
      'goodbye amid the storm',
    ]),
  };
}

/** Most clients follow something from the beginning, or the storm would blow past them. */
function opened(prng: Prng, client: number): Step[] {
  const connect = step(prng, { do: 'connect', client });
  if (prng.chance(25)) return [connect];
  const manner = { delta: prng.chance(60), compaction: prng.chance(50), rejectUnrecovered: prng.chance(20) };
  return [connect, step(prng, { do: 'subscribe', client, channel: 0, start: { at: 'now' }, ...manner })];
}

function channelSetup(prng: Prng): ChannelSetup {
  return {
    size: prng.pick([2, 4, 8, 100]),
    ttlMs: prng.pick([500, 5000, 300_000]),
    delta: prng.chance(70),
    compaction: prng.chance(30),
    presence: prng.chance(30),
    joinLeave: prng.chance(25),
  };
}

function step(prng: Prng, operation: Operation): Step {
  const still = prng.chance(45);
  return {
    operation,
    breath: still ? { microtasks: 0, turns: prng.between(1, 2) } : { microtasks: prng.below(7), turns: 0 },
  };
}

interface Size {
  readonly clients: number;
  readonly channels: number;
}

type Kind = Operation['do'];

/** How often each kind of step is drawn. */
const WEIGHTS: Readonly<Record<Kind, number>> = {
  publish: 34,
  subscribe: 17,
  unsubscribe: 4,
  'server-unsubscribe': 3,
  connect: 7,
  'hang-up': 3,
  'server-disconnect': 2,
  'stop-reading': 3,
  'read-again': 4,
  drop: 3,
  hold: 4,
  'pass-held': 3,
  'drop-held': 2,
  'end-hold': 4,
  delay: 7,
  'open-gate': 8,
  fail: 1,
  'change-epoch': 2,
  trim: 2,
  advance: 5,
};
const BAG: readonly Kind[] = (Object.keys(WEIGHTS) as Kind[]).flatMap(kind =>
  new Array<Kind>(WEIGHTS[kind]).fill(kind),
);

function operation(prng: Prng, size: Size): Operation {
  const client = prng.below(size.clients);
  const channel = prng.below(size.channels);
  const kind = prng.pick(BAG);
  switch (kind) {
    case 'publish':
      return {
        do: kind,
        channel,
        by: prng.chance(70) ? -1 : client,
        body: prng.pick(['similar', 'similar', 'similar', 'unlike', 'umlauts']),
        delta: prng.chance(85),
      };
    case 'subscribe':
      return {
        do: kind,
        client,
        channel,
        start: start(prng),
        delta: prng.chance(60),
        compaction: prng.chance(50),
        rejectUnrecovered: prng.chance(20),
      };
    case 'unsubscribe':
      return { do: kind, client, channel };
    case 'server-unsubscribe':
      return { do: kind, client: prng.chance(30) ? -1 : client, channel, code: prng.pick([2000, 2600]) };
    case 'server-disconnect':
      return { do: kind, client, code: prng.pick([3011, 3503]) };
    case 'connect':
    case 'hang-up':
    case 'stop-reading':
    case 'read-again':
      return { do: kind, client };
    case 'drop':
      return { do: kind, channel, times: prng.between(1, 2) };
    case 'pass-held':
    case 'drop-held':
      return { do: kind, channel, count: prng.between(1, 2) };
    case 'hold':
    case 'end-hold':
    case 'change-epoch':
    case 'trim':
      return { do: kind, channel };
    case 'delay':
      return {
        do: kind,
        channel,
        operation: prng.pick<BrokerOperation>(['history', 'history', 'history', 'subscribe', 'unsubscribe']),
        moment: prng.pick(['before', 'after']),
        times: prng.between(1, 2),
      };
    case 'open-gate':
      return { do: kind, channel, choice: prng.below(4) };
    case 'fail':
      return {
        do: kind,
        channel,
        operation: prng.pick<BrokerOperation>(['history', 'subscribe', 'publish']),
      };
    case 'advance':
      return { do: kind, ms: prng.pick([50, 250, 700]) };
  }
}

function start(prng: Prng): Start {
  const lot = prng.below(100);
  if (lot < 55) return { at: 'last' };
  if (lot < 75) return { at: 'now' };
  return { at: 'guess', behind: prng.between(-1, 6), epoch: prng.pick(['right', 'right', 'empty', 'wrong']) };
}
