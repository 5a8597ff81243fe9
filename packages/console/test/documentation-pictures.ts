import { Service } from './service.ts';
import { Visit } from './visit.ts';
import { documentedWays, seedListeners, walk } from './walk-through.ts';

/** What a picture shows: the end of a documented way, by its cause. */
const SHOWN = {
  'console-waiting': 'The channel is closed',
  'console-who-may': 'The token has no grant',
} as const;

/** In which sizes and schemes each picture is taken, by the end of its name. */
const FORMS: Readonly<
  Record<string, { readonly width: number; readonly height: number; readonly dark: boolean }>
> = {
  light: { width: 1280, height: 720, dark: false },
  dark: { width: 1280, height: 720, dark: true },
  'narrow-light': { width: 390, height: 720, dark: false },
  'narrow-dark': { width: 390, height: 720, dark: true },
};

/** Names of the pictures of docs/console.md, without `.png`. */
export const PICTURE_NAMES: readonly string[] = ['console-overview', ...Object.keys(SHOWN)].flatMap(name =>
  Object.keys(FORMS).map(form => `${name}-${form}`),
);

export interface TakenPicture {
  readonly name: string;
  readonly png: Buffer;
}

const PRICES = 'public:shop.prices';
const READERS = 12;
/** A rate is that of a minute, and a line is drawn while a page is open. */
const MINUTE_MS = 60_000;
const BETWEEN_MS = 40;

/** Lets a channel of the shop be busy, more and less in turns, until the signal aborts. */
async function trade(service: Service, signal: AbortSignal): Promise<void> {
  await service.rpc.call('OpenPublic', { name: PRICES });
  const [first = service.server, other = first] = service.nodes;
  for (let reader = 0; reader < READERS; reader++)
    await service.connectTo(reader % 3 === 0 ? other : first, '', PRICES);
  for (let n = 0; !signal.aborted; n++) {
    const count = 1 + Math.round(2 + 2 * Math.sin(n / 100));
    const items = Array.from({ length: count }, () => ({ name: PRICES, json: { n } }));
    await service.rpc.call('PublishMany', { items });
    await new Promise(resolve => setTimeout(resolve, BETWEEN_MS));
  }
}

/**
 * Takes the pictures of docs/console.md: the overview, and the ends of two ways, of a service with a busy channel and
 * three listeners that hear nothing; each light and dark, 1,280 and 390 pixels wide.
 */
export async function* consolePictures(): AsyncIterable<TakenPicture> {
  const service = await Service.start();
  const visit = await Visit.start(service.server.url);
  const ending = new AbortController();
  try {
    await seedListeners(service);
    const trading = trade(service, ending.signal);
    await visit.signIn(service.server.token);
    await visit.page.waitForTimeout(MINUTE_MS);
    yield* pictures(visit, 'console-overview');
    ending.abort();
    await trading;
    for (const [name, cause] of Object.entries(SHOWN)) {
      const way = documentedWays().find(one => one.cause === cause);
      if (way === undefined) throw new Error(`docs/console.md has no way to: ${cause}`);
      await walk(visit, way);
      for (const text of way.says) await visit.sees(text);
      yield* pictures(visit, name);
    }
  } finally {
    ending.abort();
    await visit.stop();
    await service.stop();
  }
}

/** A page in each form. */
async function* pictures(visit: Visit, name: string): AsyncIterable<TakenPicture> {
  for (const [form, { width, height, dark }] of Object.entries(FORMS)) {
    await visit.page.setViewportSize({ width, height });
    await visit.page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
    await visit.settles();
    yield { name: `${name}-${form}`, png: await visit.page.screenshot() };
  }
}
