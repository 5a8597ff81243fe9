import { afterAll, beforeAll, it } from 'vitest';
import { EXAMPLES } from './examples.ts';
import { PageServer } from './page-server.ts';
import { PATIENT_MS } from './reviewing.ts';
import { Visit } from './visit.ts';

let server: PageServer;
let visit: Visit;
beforeAll(async () => {
  server = await PageServer.start(EXAMPLES.slice(0, 1));
  visit = await Visit.start(server.url);
}, PATIENT_MS);
afterAll(async () => {
  await visit.stop();
  await server.stop();
});

it(
  'a page that asks again by itself goes on after an answer that is not that of the server',
  async () => {
    const [id = ''] = await server.store.list();
    await visit.open(`/d/${id}?$refresh=5s`);
    let asked = 0;
    await visit.page.route(/\/items\?/, async route => {
      asked++;
      await route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' });
    });
    await visit.until('two more requests', async () => asked >= 2);
  },
  PATIENT_MS,
);
