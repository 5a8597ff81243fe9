import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

const NAME = 'public:shop.flood';

let service: Service;
let visit: Visit;

beforeAll(async () => {
  service = await Service.start();
  await service.fill(NAME);
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
});
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

const position = async (): Promise<number> => (await service.rpc.call('Position', { name: NAME })).offset;

/** What the page says about its tail. */
async function numbers(): Promise<{ shown: number; skipped: number; passed: number }> {
  const text = (await visit.page.locator('[data-tail-numbers]').textContent()) ?? '';
  const [shown = 0, skipped = 0, passed = 0] = Array.from(
    text.matchAll(/[\d,]+(?= (?:shown|skipped|passed))/g),
    ([one]) => Number(one.replaceAll(',', '')),
  );
  return { shown, skipped, passed };
}

const PER_BATCH = 100;
/** Twenty batches a second are 2,000 publications. */
const EVERY_MS = 50;

/** Publishes so many, at most 2,000 a second. */
async function flood(count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += PER_BATCH) {
    const next = new Promise(resolve => setTimeout(resolve, EVERY_MS));
    const items = Array.from({ length: PER_BATCH }, (_, n) => ({ name: NAME, json: { n: sent + n } }));
    await service.rpc.call('PublishMany', { items });
    await next;
  }
}

describe('the live tab of a channel', () => {
  it('shows a part of a flood and counts the rest exactly, paused and resumed', async () => {
    await visit.open(`channels/${encodeURIComponent(NAME)}?tab=live`);
    await visit.tails();
    await visit.until('the tail', async () => {
      await service.rpc.call('Publish', { name: NAME, json: { text: 'first' } });
      return (await numbers()).shown > 0;
    });
    await service.rpc.call('Publish', { name: NAME, json: { text: 'the last before the flood' } });
    await visit.sees('the last before the flood');
    const before = await position();
    const begun = await numbers();
    const startedAt = performance.now();
    await flood(4000);
    const top = await position();
    expect(top - before).toBe(4000);
    await visit.until('the last of the flood', async () => {
      const { shown, skipped } = await numbers();
      return shown + skipped - begun.shown - begun.skipped >= 4000;
    });
    const after = await numbers();
    expect(after.shown + after.skipped - begun.shown - begun.skipped).toBe(4000);
    // Twenty a second, however long it took, and what a second lets through at once.
    const seconds = (performance.now() - startedAt) / 1000;
    expect(after.shown - begun.shown).toBeLessThanOrEqual(20 * (seconds + 2));
    expect(
      await visit.page.locator('section[aria-label="Live publications"] tbody tr').count(),
    ).toBeLessThanOrEqual(150);
    expect(await visit.elements()).toBeLessThanOrEqual(1500);

    await visit.button('Pause').click();
    await visit.sees('Paused');
    await visit.until('the end of the tail', async () => (await service.metric('msg_console_tails')) === 0);
    await flood(300);
    await visit.button('Resume').click();
    await visit.sees('300 passed meanwhile');
    expect((await numbers()).passed).toBe(300);
    await service.rpc.call('Publish', { name: NAME, data: new Uint8Array([0xff, 0x00, 0xfe]) });
    const newest = visit.page.locator('section[aria-label="Live publications"] tbody tr').first();
    await visit.until('the bytes', async () => ((await newest.textContent()) ?? '').includes('/wD+'));
    await newest.getByRole('button').click();
    const panel = visit.page.locator('.side-panel');
    await panel.getByText('Hex', { exact: true }).waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
    expect((await service.rpc.call('Presence', { name: NAME })).subscribers).toBe(0);
    expect(await visit.axeFaults()).toEqual([]);
  }, 240_000);

  it('shows only publications with a tag, and pauses by the space bar', async () => {
    const publish = (text: string, carrier: string): Promise<unknown> =>
      service.rpc.call('Publish', { name: NAME, json: { text }, tags: new Map([['carrier', carrier]]) });
    // The tail without the tag is stopped, and the one with it runs.
    const answers = ['StopTail', 'StartTail'].map(method =>
      visit.page.waitForResponse(response => response.url().endsWith(`/${method}`)),
    );
    await visit.page.getByRole('searchbox', { name: 'Tags' }).fill('carrier=dhl');
    await Promise.all(answers);
    expect(visit.page.url()).toContain('tags=carrier%3Ddhl');
    await publish('of another', 'dpd');
    await publish('after the other', 'dhl');
    await visit.sees('after the other');
    expect(await visit.page.getByText('of another').count()).toBe(0);
    expect(await visit.page.locator('.panel footer .cmd code').textContent()).toContain('--tag carrier=dhl');
    await visit.page.locator('#content').focus();
    await visit.page.keyboard.press('Space');
    await visit.sees('Paused');
    await visit.page.keyboard.press('Space');
    await visit.tails();
    expect(await visit.axeFaults()).toEqual([]);
  });

  it('ends with a line when the channel is closed, and the tail ends with the page', async () => {
    await service.rpc.call('CloseChannel', { name: NAME });
    await visit.sees('The tail has ended: closed');
    await visit.open('channels');
    await visit.until(
      'no feed',
      async () =>
        (await service.metric('msg_console_tails')) === 0 && (await service.metric('msg_console_feeds')) <= 1,
    );
  });
});

describe('the recorder of a connection', () => {
  it('shows both directions, on whatever node the client is, and no token or payload in any answer', async () => {
    const name = 'private:shop.order.5';
    const card = '4111-recorded';
    await service.rpc.call('CreatePrivate', { name });
    for (const [at, node] of service.nodes.entries()) {
      const user = `u-5-${at}`;
      const token = await service.accessOf(user, 'private:shop.**');
      const client = await service.connectTo(node, token);
      const { connections } = await service.rpc.call('ListConnections', { user });
      visit.traffic.length = 0;
      await visit.open(`connections/${connections[0]?.client}`);
      await visit.button('Record').click();
      await visit.sees('Stop recording');
      client.newSubscription(name).subscribe();
      await client.getSubscription(name)?.ready(60_000);
      await client.publish(name, { card });
      await service.rpc.call('Publish', { name, json: { card } });
      await visit.page.getByRole('cell', { name: 'publication' }).first().waitFor();
      expect(await visit.axeFaults()).toEqual([]);
      client.disconnect();
      await visit.sees('The connection ended');
      expect(visit.traffic.filter(text => text.includes('"frames"')).length).toBeGreaterThan(0);
      const secrets = [...token.split('.'), ...formsOf(card)];
      expect(visit.traffic.filter(text => secrets.some(secret => text.includes(secret)))).toEqual([]);
    }
  });
});

/** A text as it stands in JSON, and as its bytes stand in base64 and hex. */
function formsOf(text: string): readonly string[] {
  const bytes = Buffer.from(JSON.stringify({ card: text }));
  return [text, bytes.toString('base64'), bytes.toString('hex')];
}

describe('the overview', () => {
  const figure = visitFigure('Connections');
  const asked = (): number => visit.traffic.filter(text => text.endsWith('/ListNodes')).length;

  it("has live numbers, over the service's own protocol, and does not ask meanwhile", async () => {
    await visit.open('');
    await visit.until('a feed that is read', async () => (await service.metric('msg_console_feeds')) > 0);
    // Connections of earlier cases have left, and the figures are those of the feed.
    await visit.until('what the node says', async () => {
      const { nodes } = await service.rpc.call('ListNodes', {});
      return (await figure()) === nodes.reduce((sum, { connections }) => sum + connections, 0);
    });
    // A page that asks shows no change between two questions. Until its feed is live it asks, too.
    for (let untold = 0; untold < 3; ) {
      const [before, now] = [asked(), await figure()];
      await service.connect('');
      await visit.until('one more', async () => (await figure()) > now);
      untold = asked() === before ? untold + 1 : 0;
    }
    await visit.page.locator('.chart .line').first().waitFor({ state: 'attached' });
    const line = visit.page.locator('.chart .line');
    const entry = visit.page.locator('.legend button').first();
    await entry.click();
    expect([await entry.getAttribute('aria-pressed'), await line.count()]).toEqual([
      'false',
      (service.nodes.length - 1) * 3,
    ]);
    await entry.click();
    expect(await visit.axeFaults()).toEqual([]);
  });

  it('asks by itself where no connection is possible', async () => {
    await visit.page.route(/\/connection\//, route => route.abort());
    await visit.page.routeWebSocket(/\/connection\//, socket => void socket.close());
    await visit.open('');
    const before = asked();
    await visit.until('it asks again and again', async () => asked() - before >= 2);
    const now = await figure();
    await service.connect('');
    await visit.until('one more', async () => (await figure()) > now);
  });
});

/** A figure of the overview. */
function visitFigure(name: string): () => Promise<number> {
  return async () => {
    const text = await visit.page
      .locator('.tile', { hasText: name })
      .first()
      .locator('.figure')
      .textContent();
    return Number((text ?? '').replaceAll(/\D/g, ''));
  };
}
