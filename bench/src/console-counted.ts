import { measureInTurns } from './comparison.ts';
import { openOverviews, openTail, withFeeds } from './console-feed.ts';
import { type Loaded, loaded, type Sample } from './console-side.ts';
import { printQuantity } from './report.ts';

interface Options {
  readonly pairs: number;
  readonly slice: number;
  readonly subscribers: number;
  readonly fanout: number;
  readonly followers: number;
  readonly rate: number;
  readonly overviews: number;
}

/** A quantity of a round: characters of source that ran, for each of what was done. */
const charactersPer = (what: string, each: number, wanted: string) => ({
  name: `characters per ${what}`,
  of: ({ characters, answered }: Sample) => characters / answered / each,
  digits: 0,
  ratioDigits: 3,
  wanted,
});

/**
 * The rows of the server's time in characters of source that ran: one per cent shows there, which the clock of a shared machine
 * hides. What native code does counts nothing, so the share of the rest is larger than by time.
 */
export async function measureCounted(options: Options, store: string): Promise<void> {
  const { pairs, slice, subscribers, fanout, followers, rate, overviews } = options;
  console.log('characters of source that ran');
  const on = await loaded({ console: 'on', store, counts: true }, slice);
  const off = await loaded({ console: 'off', store, counts: true }, slice);
  const inTurns = (round: (side: Loaded) => Promise<Sample>) =>
    measureInTurns(
      pairs,
      () => round(on),
      () => round(off),
    );
  const deliver = (side: Loaded): Promise<Sample> => side.publish(subscribers, fanout);
  const follow = (): Promise<Sample> => on.publish(followers, rate);
  const look = () => openOverviews(on, overviews);
  const tail = () => openTail(on);
  try {
    printQuantity(await inTurns(deliver), 'off', charactersPer('delivery', subscribers, '≤ 1.01'));
    printQuantity(
      await inTurns(side => side.verify(rate)),
      'off',
      charactersPer('verified token', 1, '≤ 1.01'),
    );
    printQuantity(await inTurns(side => side.publish(0, rate)), 'off', charactersPer('Publish', 1, '≤ 1.01'));
    const looking = await measureInTurns(
      pairs,
      () => withFeeds(look, () => deliver(on)),
      () => deliver(on),
    );
    printQuantity(
      looking,
      'none',
      charactersPer(`delivery with ${overviews} overviews`, subscribers, '≤ 1.02'),
    );
    const tailing = await measureInTurns(pairs, () => withFeeds(tail, follow), follow);
    printQuantity(tailing, 'none', charactersPer('delivery with a tail', followers, '≤ 1.05'));
    printQuantity(tailing, 'none', {
      name: 'publications per second',
      of: ({ answered, wallMs }) => (answered / wallMs) * 1000,
      digits: 0,
    });
  } finally {
    await Promise.all([on.stop(), off.stop()]);
  }
}
