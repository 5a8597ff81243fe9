import { readFileSync } from 'node:fs';
import { Browser } from '@msg/testkit';
import { expect, it } from 'vitest';
import { pictureMakers, takePictures, withoutPlaces } from './pictures.ts';

const PATIENT_MS = 240_000;

const golden = (name: string): string =>
  readFileSync(new URL(`./golden/${name}.txt`, import.meta.url), 'utf8');

it(
  'every shipped example and every state stands where it stood: `npm run pictures` renews what is meant to change',
  async () => {
    const browser = await Browser.start();
    try {
      // With another browser or other fonts things stand elsewhere; what they say and their states are the same.
      const isSame = (await pictureMakers(browser)) === golden('made-with').trim();
      const compared = isSame ? (boxes: string): string => boxes : withoutPlaces;
      for await (const { name, boxes } of takePictures(browser)) {
        expect.soft(compared(boxes), name).toBe(compared(golden(name)));
      }
    } finally {
      await browser.stop();
    }
  },
  PATIENT_MS,
);
