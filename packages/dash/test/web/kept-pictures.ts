import { readFileSync } from 'node:fs';
import type { Browser } from '@msg/testkit';
import { expect } from 'vitest';
import { PictureComparison } from './picture-comparison.ts';
import { GOLDEN, pictureMakers, type TakenPicture } from './pictures.ts';

/** What taking all of them needs at most, on a machine with other work. */
export const PICTURES_MS = 480_000;
/** Where CI keeps what it reports; a failing run leaves a page with every picture that differs there. */
const REPORTS = new URL('../../../../.tmp/reports/', import.meta.url);

/**
 * Expects that pictures look as those that are kept. With another browser or other fonts things stand elsewhere; what
 * they say and their states are the same.
 */
export async function expectAsKept(
  browser: Browser,
  folder: string,
  pictures: AsyncIterable<TakenPicture>,
): Promise<void> {
  const isSame = (await pictureMakers(browser)) === readFileSync(GOLDEN.madeWith, 'utf8').trim();
  if (process.env['CI'] !== undefined) expect(isSame, 'browser and fonts of the pictures').toBe(true);
  const comparison = new PictureComparison(new URL(folder, REPORTS).pathname);
  for await (const picture of pictures) comparison.compare(picture, isSame);
  const differing = comparison.changed.map(({ name, part, boxes }) => ({ name, part, boxes }));
  expect(differing, comparison.page).toEqual([]);
}
