import { Browser } from '@msg/testkit';
import { afterAll, beforeAll, it } from 'vitest';
import { expectAsKept, PICTURES_MS } from './kept-pictures.ts';
import { takePagePictures } from './page-pictures.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await Browser.startWithWindow();
}, PICTURES_MS);
afterAll(() => browser.stop());

it(
  'the reviews of the golden changesets and the pages around dashboards look as they looked',
  () => expectAsKept(browser, 'pictures-of-pages/', takePagePictures(browser)),
  PICTURES_MS,
);
