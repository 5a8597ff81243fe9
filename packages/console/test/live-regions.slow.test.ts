// What a screen reader is told while a page is open and nobody does anything: at most once in five seconds, of tails nothing
// (console 9).
import { setTimeout as pause } from 'node:timers/promises';
import { WebhookReceiver } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

const NAME = 'public:shop.flood';
const LETTERS = 80;
const WATCHED_MS = 16_000;
const APART_MS = 5000;
const PUBLISH_EVERY_MS = 20;
const COME_AND_GO_MS = 700;

interface Announcement {
  readonly at: number;
  readonly text: string;
}

/** Keeps what each live region of the page says from now on, without what is hidden from screen readers. */
const WATCH = `(() => {
  globalThis.announced = [];
  const regions = '[role="status"], [role="alert"], [role="log"], [role="timer"], output, [aria-live]:not([aria-live="off"])';
  const said = new WeakMap();
  const textOf = region => {
    const copy = region.cloneNode(true);
    for (const hidden of copy.querySelectorAll('[aria-hidden="true"]')) hidden.remove();
    return (copy.textContent + ' ' + (region.ariaLabel ?? '')).replace(/\\s+/g, ' ').trim();
  };
  const look = () => {
    for (const region of document.querySelectorAll(regions)) {
      const text = textOf(region);
      if (said.get(region) === text) continue;
      said.set(region, text);
      if (text !== '') announced.push({ at: performance.now(), text });
    }
  };
  look();
  announced.length = 0;
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
})()`;

const hook = new WebhookReceiver({ status: 503 });
let service: Service;

beforeAll(async () => {
  const destination = await hook.listen();
  const sinks = `sinks:\n  orders: { kind: webhook, url: "${destination}/hook" }\nsink_retry: { max_attempts: 1 }\n`;
  service = await Service.configured(sinks, ['--private-sink-urls']);
  await service.fill(NAME);
  for (let order = 0; order < LETTERS; order++)
    await service.park('orders', `${destination}/${order}`, { order });
  hook.behaviour = { status: 200 };
}, 120_000);
afterAll(async () => {
  await service.stop();
  await hook.close();
});

/** A signed-in browser for one case: the cases are watched at the same time. */
async function withVisit(look: (visit: Visit) => Promise<void>): Promise<void> {
  const visit = await Visit.start(service.server.url);
  try {
    await visit.signIn(service.server.token);
    await look(visit);
  } finally {
    await visit.stop();
  }
}

/** What the open page announces while this goes on. */
async function announcedDuring(
  visit: Visit,
  act: (isOver: () => boolean) => Promise<void>,
): Promise<readonly Announcement[]> {
  await visit.page.evaluate(WATCH);
  let isOver = false;
  const acting = act(() => isOver);
  await pause(WATCHED_MS);
  isOver = true;
  await acting;
  return visit.page.evaluate<Announcement[]>('announced');
}

/** Announcements that come too soon after the one before. */
function tooSoon(announced: readonly Announcement[]): readonly string[] {
  return announced
    .filter(({ at }, index) => index > 0 && at - (announced[index - 1]?.at ?? 0) < APART_MS)
    .map(({ text }) => text);
}

async function publish(isOver: () => boolean): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    await service.rpc.call('Publish', { name: NAME, json: { text: `passing ${n}` } });
    await pause(PUBLISH_EVERY_MS);
  }
}

/** Connections and channels that come and go. @param area of the channels; two of one area would close each other's */
async function comeAndGo(area: string, isOver: () => boolean): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const client = await service.connect(await service.accessOf(`guest-${n}`), NAME);
    await service.rpc.call('OpenPublic', { name: `public:shop.${area}${n % 3}` });
    await pause(COME_AND_GO_MS);
    client.disconnect();
    await service.rpc.call('CloseChannel', { name: `public:shop.${area}${n % 3}` });
  }
}

describe.concurrent('a screen reader hears at most one thing in five seconds', () => {
  it.each([
    ['the overview', '', 'Last actions'],
    ['the list of channels', 'channels', NAME],
    ['the list of connections', 'connections', 'Connections'],
    ['the audit', 'audit', 'OpenPublic'],
  ])('of %s while things come and go', (_, path, text) =>
    withVisit(async visit => {
      await visit.open(path);
      await visit.sees(text);
      await visit.settles();
      const announced = await announcedDuring(visit, isOver => comeAndGo(path || 'overview', isOver));
      expect(tooSoon(announced)).toEqual([]);
    }),
  );

  it('of dead letters while a job sends them', () =>
    withVisit(async visit => {
      await visit.open('dead-letters');
      await visit.sees('by error');
      await visit.settles();
      const announced = await announcedDuring(visit, async isOver => {
        const request = { sink: 'orders', all: true, per_second: 4, concurrency: 1 };
        const { job } = await service.rpc.call('DlqRedrive', request);
        await visit.sees('Running');
        while (!isOver()) await pause(COME_AND_GO_MS);
        await service.rpc.call('DlqJobStop', { job: job?.id ?? '' });
      });
      expect(tooSoon(announced)).toEqual([]);
    }));

  it('of a service that is away, and comes back', () =>
    withVisit(async visit => {
      await visit.open('');
      await visit.sees('Last actions');
      await visit.settles();
      const announced = await announcedDuring(visit, async isOver => {
        await visit.page.route('**/twirp/**', route => route.abort());
        while (!isOver()) await pause(COME_AND_GO_MS);
      });
      await visit.page.unroute('**/twirp/**');
      expect(announced.length).toBeGreaterThan(0);
      expect(tooSoon(announced)).toEqual([]);
    }));

  it('and nothing of a tail', () =>
    withVisit(async visit => {
      await visit.open(`channels/${encodeURIComponent(NAME)}?tab=live`);
      await visit.tails();
      const announced = await announcedDuring(visit, async isOver => {
        const publishing = publish(isOver);
        await visit.sees('passing');
        await publishing;
      });
      expect(announced.map(({ text }) => text)).toEqual([]);
    }));
});
