import { Browser } from '@msg/testkit';
import { afterAll, beforeAll, it } from 'vitest';
import { expectAsKept, PICTURES_MS } from './kept-pictures.ts';
import { takePictures } from './pictures.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await Browser.startWithWindow();
}, PICTURES_MS);
afterAll(() => browser.stop());

it(
  'every shipped example and every state looks as it looked: `npm run pictures` renews what is meant to change',
  () => expectAsKept(browser, 'pictures/', takePictures(browser)),
  PICTURES_MS,
);
