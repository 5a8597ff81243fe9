import type { Encoding } from '@msg/protocol';
import type { PayloadKind } from './servers/questions.ts';

/** One way of delivering publications. */
export interface Scenario {
  readonly name: string;
  /** For the reader of the figures. */
  readonly title: string;
  readonly subscribers: number;
  /** Subscribers are spread evenly over so many channels. */
  readonly channels: number;
  /** Channels served in one turn of the event loop. */
  readonly channelsPerTick: number;
  /** Publications per channel served. */
  readonly perChannel: number;
  readonly encoding: Encoding;
  readonly payload: PayloadKind;
  /** Wanted: CPU at most this many times the baseline's. */
  readonly wanted?: number;
  /** Part of a run that names no scenario. */
  readonly byDefault?: true;
}

const UNBATCHED: Scenario = {
  name: 'unbatched',
  title: '1,000 subscribers, 256-byte JSON, one publication per tick',
  subscribers: 1000,
  channels: 1,
  channelsPerTick: 1,
  perChannel: 1,
  encoding: 'json',
  payload: 'plain',
  wanted: 1.15,
  byDefault: true,
};

export const SCENARIOS: readonly Scenario[] = [
  UNBATCHED,
  {
    ...UNBATCHED,
    name: 'ten-per-tick',
    title: '1,000 subscribers, 256-byte JSON, ten publications per tick',
    perChannel: 10,
    wanted: 1.3,
  },
  {
    ...without(UNBATCHED),
    name: 'protobuf',
    title: '1,000 subscribers, 256-byte JSON in Protobuf, one publication per tick',
    encoding: 'protobuf',
  },
  {
    ...without(UNBATCHED),
    name: 'delta',
    title: '1,000 subscribers, 1 KB of similar JSON as deltas, one publication per tick',
    payload: 'similar',
  },
  {
    ...without(UNBATCHED),
    name: 'large-channel',
    title: '10,000 subscribers, 256-byte JSON, one publication per tick',
    subscribers: 10_000,
  },
  {
    ...without(UNBATCHED),
    name: 'many-channels',
    title: '10,000 channels with one subscriber each, 256-byte JSON, 200 publications per tick',
    subscribers: 10_000,
    channels: 10_000,
    channelsPerTick: 200,
  },
];

/** The measured circumstances of a scenario, without what was wanted of it. */
function without({ wanted: _wanted, byDefault: _byDefault, ...circumstances }: Scenario): Scenario {
  return circumstances;
}
