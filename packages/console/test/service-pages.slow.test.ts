import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from './service.ts';
import { LOOKS, Visit } from './visit.ts';

const PATTERN = 'public:shop.order.{id}';
const at = encodeURIComponent(PATTERN);
const schemaOf = (state: string): object => ({
  pattern: PATTERN,
  description: 'where an order stands',
  aspects: {
    status: {
      payload_schema: { type: 'object', required: ['state'], properties: { state: { type: state } } },
    },
  },
});

let service: Service;
let visit: Visit;

beforeAll(async () => {
  service = await Service.configured(
    [
      'sinks:',
      '  orders: { kind: webhook, url: "http://127.0.0.1:9/hook", headers: { authorization: "Bearer hidden-text" } }',
      'schema_validation: [{ pattern: "public:shop.**", mode: strict }]',
      'rate_limits:',
      '  publish: { rate: 100, per: 1s }',
      '  per_channel_publish: [{ pattern: "public:shop.**", rate: 10, per: 1s }]',
      '',
    ].join('\n'),
    ['--private-sink-urls'],
  );
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
});
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

const faults = (path: string, text: string): Promise<string[][]> =>
  LOOKS.reduce<Promise<string[][]>>(
    async (before, look) => [...(await before), await visit.faultsOf(path, text, look)],
    Promise.resolve([]),
  );
const NONE = LOOKS.map(() => []);

describe('a schema', () => {
  it('is registered from a file', async () => {
    expect(await faults('schemas', 'No schema')).toEqual(NONE);
    const file = join(tmpdir(), `msg-console-schema-${process.pid}.json`);
    writeFileSync(file, JSON.stringify(schemaOf('string')));
    await visit.open('schemas');
    await visit.button('Register…').click();
    expect(await visit.axeFaults()).toEqual([]);
    await visit.page.locator('#schema-file').setInputFiles(file);
    await visit.until('the file', async () =>
      (await visit.page.locator('#schema-text').inputValue()).includes('"string"}'),
    );
    await visit.button('Register schema').click();
    await visit.sees('Registered the schema.');
    await visit.until('its page', async () => visit.page.url().endsWith(`/schemas/${at}`));
  });

  it('is looked at while a publication is written, and again by the server', async () => {
    await service.fill('public:shop.order.7');
    await visit.open('channels/public%3Ashop.order.7');
    await visit.page.locator('.facts').getByRole('link', { name: PATTERN, exact: true }).waitFor();
    await visit.button('Publish…').click();
    const payload = visit.page.locator('#publish-data');
    await payload.fill('{"state": 7}');
    await visit.sees(`Does not fit the schema ${PATTERN}: status: $.state must be of type string, is number`);
    expect(await visit.axeFaults()).toEqual([]);
    const publish = visit.page.getByRole('button', { name: 'Publish', exact: true });
    await publish.click();
    await visit.sees('the publication does not fit');
    expect((await service.rpc.call('Position', { name: 'public:shop.order.7' })).offset).toBe(0);
    await payload.fill('{"state": ');
    expect(await publish.isDisabled()).toBe(true);
    expect(await visit.page.locator('[data-fit]').count()).toBe(0);
    await payload.fill('{"state": "paid"}');
    await visit.sees(`Fits the schema ${PATTERN}`);
    await publish.click();
    await visit.sees('Published, offset 1.');
    await visit.open(`schemas/${at}`);
  });

  it('is told what a new version breaks, which needs the pattern typed', async () => {
    await visit.button('New version…').click();
    await visit.page.locator('#schema-text').fill(JSON.stringify(schemaOf('integer')));
    await visit.sees('Breaking');
    expect(await visit.axeFaults()).toEqual([]);
    const verb = visit.page.getByRole('button', { name: 'Update schema' });
    expect(await verb.isDisabled()).toBe(true);
    await visit.page.locator('#confirm-typed').fill(PATTERN);
    await verb.click();
    await visit.sees('Version 2 against 1');
    expect((await service.rpc.call('GetSchema', { pattern: PATTERN })).history).toHaveLength(2);
    await visit.page.getByLabel('Version', { exact: true }).selectOption('1');
    await visit.until('the version', async () => visit.page.url().includes('version=1'));
  });

  it('and a document that the registry refuses is named in the dialog', async () => {
    await visit.button('New version…').click();
    await visit.page
      .locator('#schema-text')
      .fill(JSON.stringify({ pattern: PATTERN, aspects: { a: { oops: 1 } } }));
    await visit.page.locator('#schema-text-help').getByText('oops').waitFor();
    expect(await visit.page.getByRole('button', { name: 'Update schema' }).isDisabled()).toBe(true);
    await visit.page.keyboard.press('Escape');
  });

  it('has its page, its versions and its absence in every look', async () => {
    expect(await faults('schemas', PATTERN)).toEqual(NONE);
    expect(await faults('schemas?q=none', 'No schema matches')).toEqual(NONE);
    expect(await faults(`schemas/${at}`, 'Version 2 against 1')).toEqual(NONE);
    expect(await faults('schemas/public%3Anone', 'There is no such schema')).toEqual(NONE);
  });

  it('is deregistered by its name', async () => {
    await visit.open(`schemas/${at}`);
    await visit.button('Deregister…').click();
    await visit.page.locator('#confirm-typed').fill(PATTERN);
    await visit.button('Deregister schema').click();
    await visit.sees('No schema');
  });
});

describe('the configuration', () => {
  it('shows what was changed, from where, and no secret', async () => {
    expect(await faults('configuration', 'rate_limits.publish.rate')).toEqual(NONE);
    expect(await faults('configuration?q=nothing-has-this', 'No setting matches')).toEqual(NONE);
    expect(await faults('configuration?only=all&q=audit', 'audit.ring')).toEqual(NONE);
    expect(visit.traffic.filter(text => text.includes('hidden-text'))).toEqual([]);
    await visit.open('configuration');
    await visit.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await visit.button('Copy as YAML without secrets').click();
    const yaml = String(await visit.page.evaluate('navigator.clipboard.readText()'));
    expect(yaml).toContain('rate_limits:\n  publish:\n    rate:');
    expect(yaml).not.toContain('hidden-text');
  });

  it('shows the limits', async () => {
    expect(await faults('configuration?tab=limits', 'Publications in public:shop.**')).toEqual(NONE);
  });

  it('shows what each bucket allowed and refused in the last minute', async () => {
    await service.fill('public:shop.busy');
    await visit.open('configuration?tab=limits');
    const row = visit.page.locator('section[aria-labelledby="decisions"] tbody tr', {
      has: visit.page.getByText('publish-channel', { exact: true }),
    });
    const publish = () => service.rpc.call('Publish', { name: 'public:shop.busy', json: 1 }).catch(() => {});
    await visit.until('decisions', async () => {
      await Promise.all(Array.from({ length: 20 }, publish));
      const [allowed = '', refused = ''] = await row.locator('td').allTextContents();
      return Number(allowed) >= 10 && Number(refused) >= 1;
    });
    expect(await faults('configuration?tab=limits', 'Publications by the RPC')).toEqual(NONE);
  });

  it('is not for an operator, and the limits are', async () => {
    const operator = await Visit.start(service.server.url);
    try {
      await operator.signIn(await service.tokenOf('operator'));
      await operator.open('configuration');
      await operator.sees('Needs the role admin');
      expect(await operator.axeFaults()).toEqual([]);
      expect(operator.traffic.filter(text => text.includes('/Config'))).toEqual([]);
      await operator.open('configuration?tab=limits');
      await operator.sees('Publications, per subject');
    } finally {
      await operator.stop();
    }
  });
});

it('sinks show their kind and what they gave up', async () => {
  await service.park('orders', 'http://127.0.0.1:9/u-1', { order: 1 });
  expect(await faults('sinks', '1 dead letter')).toEqual(NONE);
  await visit.page.getByText(/^\d+ attempts?, \d+ in the last minute$/).waitFor();
  await visit.open('');
  const sink = visit.page.locator('section[aria-labelledby="sinks"] tbody tr', { hasText: 'orders' });
  await visit.until('the letter', async () => (await sink.locator('td').last().textContent()) === '1');
  await service.park('orders', 'http://127.0.0.1:9/u-2', { order: 2 });
  await sink.getByText('Failing').waitFor();
  await visit.open('sinks');
  await visit.sees('2 dead letters');
  await visit.page.getByRole('link', { name: 'Dead letters' }).last().click();
  await visit.sees('1 group by error');
});
