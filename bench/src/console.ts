import { RedisServer } from '@msg/testkit/redis';
import { measureInTurns, numericOptions } from './comparison.ts';
import { measureCounted } from './console-counted.ts';
import { type Feed, openOverviews, openTail, withFeeds } from './console-feed.ts';
import { measureListings } from './console-listings.ts';
import { measurePayloads } from './console-payloads.ts';
import { bytesPerConnection, type Held, loaded, type Sample, type SideOptions } from './console-side.ts';
import { printQuantity } from './report.ts';

const DEFAULTS = {
  pairs: 5,
  slice: 2000,
  subscribers: 200,
  /** Publications a second to them. */
  fanout: 500,
  /** Of the channel with a tail: as many as a core serves at that rate. */
  followers: 20,
  rate: 5000,
  connections: 5000,
  overviews: 5,
  channels: 100_000,
  rows: 50_000,
};
/** Of an idle server: what Linux tells has steps of 10 ms. */
const IDLE_SECONDS = 10;

type Options = typeof DEFAULTS;

/** The parts of a run: the server under load, by time and by what runs, listings in this process, pages in a browser. */
const PARTS = {
  server: (options: Options) => inBothStores(options, compareAll),
  counted: (options: Options) => inBothStores(options, measureCounted),
  memory: (options: Options) => inBothStores(options, compareMemory),
  listings: measureListings,
  pages: ({ pairs }: Options) => measurePayloads(pairs),
} as const;

/**
 * What the console costs while it is on and unused, with open overviews, and with a tail; in memory and on a Redis.
 * `--only <part>` runs one part.
 */
export async function run(args: string[]): Promise<void> {
  const at = args.indexOf('--only');
  const only = at < 0 ? undefined : args[at + 1];
  if (only !== undefined && !Object.hasOwn(PARTS, only))
    throw new Error(`--only must be one of ${Object.keys(PARTS).join(', ')}`);
  const options = numericOptions(at < 0 ? args : args.toSpliced(at, 2), DEFAULTS);
  for (const [name, part] of Object.entries(PARTS))
    if (only === undefined || only === name) await part(options);
}

async function inBothStores(
  options: Options,
  compare: (options: Options, store: string) => Promise<void>,
): Promise<void> {
  console.log('in memory');
  await compare(options, '');
  const redis = await RedisServer.start();
  try {
    console.log('on Redis');
    await compare(options, redis.address);
  } finally {
    await redis.stop();
  }
}

async function compareAll(options: Options, store: string): Promise<void> {
  await compareUnused(options, store);
  await compareOverviews(options, store);
  await compareTail(options, store);
}

const perDelivery = (subscribers: number) => ({
  of: ({ cpuUs, answered }: Sample) => cpuUs / answered / subscribers,
  digits: 3,
});

interface Unused {
  readonly fanout: Sample;
  readonly verify: Sample;
  readonly publish: Sample;
}

/** Each sample is of a server of its own, warmed up: two processes of one program differ by per cents, whatever they run. */
async function compareUnused(options: Options, store: string): Promise<void> {
  const { pairs, subscribers } = options;
  console.log(`console on, and no one signed in, against off: ${subscribers} subscribers`);
  const measured = await measureInTurns(
    pairs,
    () => unused(options, { console: 'on', store }),
    () => unused(options, { console: 'off', store }),
  );
  const per = { digits: 1, wanted: '≤ 1.01' };
  const { of } = perDelivery(subscribers);
  printQuantity(measured, 'off', {
    name: 'server CPU per delivery, µs',
    of: ({ fanout }) => of(fanout),
    digits: 3,
    wanted: '≤ 1.01',
  });
  printQuantity(measured, 'off', {
    name: 'server CPU per verified token, µs',
    of: ({ verify: { cpuUs, answered } }) => cpuUs / answered,
    ...per,
  });
  printQuantity(measured, 'off', {
    name: 'server CPU per Publish without subscribers, µs',
    of: ({ publish: { cpuUs, answered } }) => cpuUs / answered,
    ...per,
  });
}

async function unused({ slice, subscribers, fanout, rate }: Options, how: SideOptions): Promise<Unused> {
  const side = await loaded(how, slice);
  const warmed = async (round: () => Promise<Sample>): Promise<Sample> => {
    await round();
    return round();
  };
  try {
    return {
      fanout: await warmed(() => side.publish(subscribers, fanout)),
      verify: await warmed(() => side.verify(rate)),
      publish: await warmed(() => side.publish(0, rate)),
    };
  } finally {
    await side.stop();
  }
}

/** One server with overviews that come and go: with them against without. */
async function compareOverviews(
  { pairs, slice, subscribers, fanout, overviews }: Options,
  store: string,
): Promise<void> {
  const side = await loaded({ console: 'on', store }, slice);
  const open = () => openOverviews(side, overviews);
  const round = (): Promise<Sample> => side.publish(subscribers, fanout);
  try {
    console.log('looking, against not looking, at the same server');
    printQuantity(await measureInTurns(pairs, () => withFeeds(open, round), round), 'none', {
      name: `server CPU per delivery with ${overviews} overviews, µs`,
      ...perDelivery(subscribers),
      wanted: '≤ 1.02',
    });
    const second = async (): Promise<number> => {
      const before = side.server.cpuUs();
      await new Promise(resolve => setTimeout(resolve, IDLE_SECONDS * 1000));
      return (side.server.cpuUs() - before) / IDLE_SECONDS;
    };
    const feeds = await open();
    const looking = await second();
    await Promise.all(feeds.map(feed => feed.close()));
    console.log(
      `  CPU in a second of an idle server: ${looking} µs with ${overviews} overviews, ${await second()} µs without`,
    );
  } finally {
    await side.stop();
  }
}

/** One server with a channel of that rate: with a tail on it against without. */
async function compareTail({ pairs, slice, followers, rate }: Options, store: string): Promise<void> {
  const side = await loaded({ console: 'on', store }, slice);
  const open = () => openTail(side);
  const round = (): Promise<Sample> => side.publish(followers, rate);
  try {
    const measured = await measureInTurns(pairs, () => withFeeds(open, round), round);
    printQuantity(measured, 'none', {
      name: `server CPU per delivery with a tail on ${rate} publications a second, µs`,
      ...perDelivery(followers),
      wanted: '≤ 1.05',
    });
    printQuantity(measured, 'none', {
      name: 'publications per second',
      of: ({ answered, wallMs }) => (answered / wallMs) * 1000,
      digits: 0,
    });
    const shown = (perSecond: number) => tailBytes(side, open, perSecond);
    printQuantity(
      await measureInTurns(
        pairs,
        () => shown(rate),
        () => shown(rate / 10),
      ),
      'a tenth of the rate',
      { name: 'bytes of a tail to the browser, kB/s', of: bytes => bytes / 1000, digits: 1, wanted: '≤ 1.1' },
    );
  } finally {
    await side.stop();
  }
}

/** Bytes in a second that a browser with a tail receives while so many publications pass. */
async function tailBytes(
  side: Awaited<ReturnType<typeof loaded>>,
  open: () => Promise<readonly Feed[]>,
  perSecond: number,
): Promise<number> {
  let bytes = 0;
  const feeds = await open();
  const { wallMs } = await side.publish(0, perSecond);
  for (const feed of feeds) bytes += feed.received();
  await Promise.all(feeds.map(feed => feed.close()));
  return (bytes / wallMs) * 1000;
}

async function compareMemory({ pairs, connections }: Options, store: string): Promise<void> {
  console.log(`memory per idle connection, ${connections} of them, console on against off`);
  const measured = await measureInTurns(
    pairs,
    () => bytesPerConnection({ console: 'on', store }, connections),
    () => bytesPerConnection({ console: 'off', store }, connections),
  );
  for (const [name, of] of [
    ['RSS', ({ resident }: Held) => resident / 1000],
    ['objects and buffers', ({ heap }: Held) => heap / 1000],
  ] as const)
    printQuantity(measured, 'off', {
      name: `${name} per connection, kB`,
      of,
      digits: 2,
      ratioDigits: 3,
      wanted: '≤ 1.01',
    });
}
