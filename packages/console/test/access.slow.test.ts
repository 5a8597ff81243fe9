import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from './service.ts';
import { LOOKS, Visit } from './visit.ts';

let service: Service;
let visit: Visit;
let access = '';

beforeAll(async () => {
  service = await Service.kept();
  access = await service.accessOf('u-9');
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
});
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

describe('a token', () => {
  it('is decoded in the page: nothing of it is sent until it is checked with the server', async () => {
    await service.rpc.call('CreatePrivate', { name: 'private:shop.order.77' });
    await visit.open('tokens');
    await visit.sees('No token yet');
    visit.traffic.length = 0;
    await visit.page.locator('#token-text').fill(access);
    await visit.sees('Access token: a client connects');
    await visit.sees('private:shop.**');
    await visit.sees('active');
    const signature = access.slice(-20);
    expect(visit.traffic.filter(text => text.includes(signature))).toEqual([]);
    expect(await visit.axeFaults()).toEqual([]);
    await visit.page.locator('#check-name').fill('private:shop.order.77');
    await visit.button('Check with the server').click();
    await visit.sees('It may subscribe');
    expect(visit.traffic.filter(text => text.includes(signature))).toHaveLength(1);
    expect(visit.page.url()).not.toContain(signature);
  });

  it('is revoked by its id, and is refused then', async () => {
    await visit.button('Revoke this token…').click();
    expect(await visit.axeFaults()).toEqual([]);
    await visit.page.locator('#revoke-why').fill('leaked');
    await visit.page.getByRole('button', { name: 'Revoke token', exact: true }).click();
    await visit.sees('Revoked the token.');
    await visit.button('Check with the server').click();
    await visit.sees('It may not subscribe');
  });

  it('for management is shown once, has its role, and is gone with its dialog', async () => {
    await visit.open('tokens');
    await visit.button('Management token…').click();
    await visit.page.locator('#mgmt-subject').fill('ci');
    await visit.page.locator('#mgmt-role').selectOption('viewer');
    await visit.page.locator('#mgmt-ttl').fill('2h');
    expect(await visit.page.locator('dialog .cmd code').textContent()).toBe(
      'msg tokens mgmt --subject ci --role viewer --ttl 2h',
    );
    await visit.button('Issue token').click();
    await visit.sees('It is shown once');
    expect(await visit.axeFaults()).toEqual([]);
    const token = (await visit.page.locator('.secret').textContent()) ?? '';
    expect(await service.rpcOf(token).call('WhoAmI', {})).toMatchObject({ subject: 'ci', role: 'viewer' });
    await visit.button('I have copied it').click();
    expect(await visit.page.evaluate('document.documentElement.outerHTML')).not.toContain(token);
  });

  it('for a user comes with a refresh token and the rights that were said', async () => {
    await visit.button('Access token…').click();
    await visit.page.locator('#access-subject').fill('u-12');
    await visit.page.locator('#grant-patterns').fill('private:shop.order.*');
    await visit.button('Issue token').click();
    await visit.sees('They are shown once');
    expect(await visit.page.locator('.secret').count()).toBe(2);
    const [text] = await visit.page.locator('.secret').allTextContents();
    const answer = await service.rpc.call('ExplainAccess', {
      name: 'private:shop.order.77',
      verb: 'subscribe',
      token: text ?? '',
    });
    expect(answer.allowed).toBe(true);
    await visit.page.keyboard.press('Escape');
  });
});

describe('an API key', () => {
  it('is created, shown once, rotated with an overlap, and revoked by its name', async () => {
    await visit.open('tokens?tab=api-keys');
    await visit.sees('No API key');
    expect(await visit.axeFaults()).toEqual([]);
    await visit.button('Create API key…').click();
    await visit.page.locator('#key-name').fill('shop');
    await visit.page.locator('#key-role').selectOption('operator');
    await visit.page.locator('#grant-patterns').fill('public:shop.**');
    expect(await visit.axeFaults()).toEqual([]);
    await visit.button('Create key').click();
    await visit.sees('It is shown once');
    const first = (await visit.page.locator('.secret').textContent()) ?? '';
    // Another node reads the keys of a file anew within seconds.
    await visit.until('the key at every node', async () => {
      const asked = service.nodes.map(() => service.rpcOf(first).call('WhoAmI', {}));
      const roles = await Promise.all(asked).catch(() => []);
      return roles.length > 0 && roles.every(({ role }) => role === 'operator');
    });
    await visit.button('I have copied it').click();
    await visit.sees('1 API key');
    await visit.button('Rotate…').click();
    await visit.button('Rotate key').click();
    await visit.sees('It is shown once');
    const second = (await visit.page.locator('.secret').textContent()) ?? '';
    await visit.button('I have copied it').click();
    for (const key of [first, second]) await service.rpcOf(key).call('WhoAmI', {});
    for (const look of LOOKS)
      expect(await visit.faultsOf('tokens?tab=api-keys', '1 API key', look)).toEqual([]);
    await visit.page.locator('.panel').getByRole('button', { name: 'Revoke…' }).click();
    await visit.page.locator('#confirm-typed').fill('shop');
    await visit.button('Revoke key').click();
    await visit.sees('Revoked the API key.');
    // The other node reads it within seconds.
    await visit.until('its end at every node', async () => {
      const asked = service.nodes.map(() => service.rpcOf(second).call('WhoAmI', {}));
      const answers = await Promise.allSettled(asked);
      return answers.every(({ status }) => status === 'rejected');
    });
  });
});
