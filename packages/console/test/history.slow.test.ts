import { freePort } from '@msg/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

const NAME = 'private:shop.order.7';
const at = encodeURIComponent(NAME);
let service: Service;
let visit: Visit;
/** One node has the same port after a restart. */
let options = {};

beforeAll(async () => {
  if (process.env['MSG_TEST_CONSOLE_NODES'] === '1') options = { port: await freePort() };
  service = await Service.start(options);
  await fill(120);
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
});
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

async function fill(count: number): Promise<void> {
  await service.rpc.call('CreatePrivate', { name: NAME });
  for (let n = 1; n <= count; n++) await service.rpc.call('Publish', { name: NAME, json: { n } });
}

/** The streams are lost, and the sessions: the store forgets everything, or the one node is another process. */
async function loseStreams(): Promise<void> {
  if (service.cluster !== undefined) {
    await service.cluster.store.command('FLUSHALL');
    return;
  }
  await service.stop();
  service = await Service.start(options);
}

it('pages a history, jumps to an offset, and says that the stream is another one after it was lost', async () => {
  await visit.open(`channels/${at}`);
  await visit.sees('71–120; kept from 21 to 120');
  await visit.button('Older').click();
  await visit.sees('21–70; kept from 21 to 120');
  await visit.page.getByRole('textbox', { name: 'Go to offset' }).fill('90');
  await visit.page.keyboard.press('Enter');
  await visit.sees('41–90; kept from 21 to 120');
  expect(visit.page.url()).toContain('from=90');
  await visit.button('Newest').click();
  await visit.sees('71–120; kept');
  await loseStreams();
  // The sessions were lost, too.
  await visit.page.locator('#token').waitFor();
  await fill(3);
  await visit.page.locator('#token').fill(service.server.token);
  await visit.page.keyboard.press('Enter');
  await visit.sees('The stream was reset while this page was open');
  await visit.sees('1–3; kept from 1 to 3');
  expect(await visit.axeFaults()).toEqual([]);
});
