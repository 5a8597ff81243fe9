import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from './service.ts';
import { LOOKS, Visit } from './visit.ts';

let service: Service;
let visit: Visit;

beforeAll(async () => {
  service = await Service.kept();
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
});
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

describe('a rotation of the signing key', () => {
  it('is left and found again at each step; retiring early names who breaks, and ends their sessions', async () => {
    const [{ kid: old } = { kid: '' }] = (await service.rpc.call('KeyUsage', {})).keys;
    for (const look of LOOKS) expect(await visit.faultsOf('keys', 'Generate a key', look)).toEqual([]);
    await visit.open('keys');
    await visit.button('Generate key…').click();
    expect(await visit.axeFaults()).toEqual([]);
    await visit.page.locator('dialog').getByRole('button', { name: 'Generate key' }).click();
    await visit.sees('Generated a key.');
    await visit.page.reload();
    await visit.button('Promote key').click();
    await visit.sees('The new key signs.');
    await visit.page.reload();
    await visit.sees('These holders used management tokens of the old key');
    expect(await visit.axeFaults()).toEqual([]);
    const usage = await service.rpc.call('KeyUsage', {});
    // The session of the console rests on it.
    expect(usage.keys.find(({ kid }) => kid === old)?.verdict).toBe('in_use');
    await visit.button('New token…').click();
    await visit.button('Issue token').click();
    await visit.sees('It is shown once');
    const fresh = (await visit.page.locator('.secret').textContent()) ?? '';
    await visit.button('I have copied it').click();
    await visit.page.getByRole('link', { name: old }).click();
    await visit.sees('Recent holders');
    for (const look of LOOKS)
      expect(await visit.faultsOf(`keys?key=${old}`, 'Recent holders', look)).toEqual([]);
    await visit.button('Retire early…').click();
    await visit.sees('Your own session may depend on it');
    expect(await visit.axeFaults()).toEqual([]);
    await visit.page.locator('#confirm-typed').fill(old);
    await visit.page.getByRole('button', { name: 'Retire key', exact: true }).click();
    await visit.page.locator('.entrance').getByText('the key of its token was retired').waitFor();
    await visit.page.locator('#token').fill(fresh);
    await visit.page.keyboard.press('Enter');
    await visit.sees('Retired');
    expect(visit.page.url()).toContain('/console/keys');
    await expect(service.rpc.call('WhoAmI', {})).rejects.toThrow();
  });
});
