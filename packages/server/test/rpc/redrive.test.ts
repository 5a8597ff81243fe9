import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { rpcOf } from '../support/rpc.ts';

let service: Embedded;
let rpc: ReturnType<typeof rpcOf>;

beforeEach(async () => {
  service = await embed({
    sinks: [
      {
        name: 'orders',
        decodeRecipient: stored => stored,
        send: async () => {
          throw new Error('ada@example.com at https://mail.example.com/in/secret is down');
        },
      },
    ],
    sinkRetry: { maxAttempts: 1 },
  });
  rpc = rpcOf(service.url, service.msg.tokens.issueManagement('ann').token);
  for (const id of [1, 2, 3, 4])
    await service.msg.publishOrSink(
      `public:shop.n${id}`,
      null,
      'orders',
      { to: id },
      { body: `secret ${id}` },
    );
});
afterEach(stopEmbedded);

type Row = Readonly<Record<string, unknown>>;
const rows = (body: Row, member: string): readonly Row[] => body[member] as readonly Row[]; // as the methods answer

describe('jobs of dead letters over the RPC', () => {
  it.each([
    [{ all: true }, 'sink is required'],
    [{ sink: 'orders' }, 'exactly one of ids, group and all is required'],
    [{ sink: 'orders', all: true, ids: ['a'] }, 'exactly one of ids, group and all is required'],
    [
      { sink: 'orders', ids: Array.from({ length: 501 }, (_, index) => `n${index}`) },
      'ids must not have more than 500 entries; got 501',
    ],
    [{ sink: 'orders', all: true, per_second: 0.01 }, 'per_second must be from 0.1 to 1000; got 0.01'],
    [{ sink: 'orders', all: true, concurrency: 17 }, 'concurrency must be from 1 to 16; got 17'],
    [
      { sink: 'orders', all: true, stop_after_failures: -1 },
      'stop_after_failures must be from 1 to 10000; got -1',
    ],
    [{ resume: 'none' }, 'there is no job "none"'],
  ])('refuses %j', async (request, text) => {
    const { status, body } = await rpc('DlqRedrive', request);
    expect([status, body['msg']]).toEqual([400, text]);
  });

  it('refuses a sink that is not there, and to stop a job that is not there', async () => {
    expect((await rpc('DlqRedrive', { sink: 'none', all: true })).code).toBe('MSG_SINK_CONFIG_INVALID');
    expect((await rpc('DlqJobStop', { job: 'none' })).body['msg']).toBe('there is no job "none"');
    expect((await rpc('DlqJobStop', {})).body['msg']).toBe('job is required');
  });

  it('tells without a send what would be sent', async () => {
    const { body } = await rpc('DlqRedrive', { sink: 'orders', all: true, dry_run: true });
    expect([body['job'], body['matched']]).toEqual([null, 4]);
    const bodies = rows(body, 'samples').map(row => String(row['body']));
    expect([bodies.length, bodies.every(text => /^secret \d$/.test(text))]).toEqual([3, true]);
    expect((await rpc('DlqJobs', {})).body['jobs']).toEqual([]);
  });

  it('begins a job of a group, which names who began it and leaves a record', async () => {
    const { body } = await rpc('DlqGroups', { sink: 'orders' });
    const [{ group } = {}] = rows(body, 'groups');
    const begun = (await rpc('DlqRedrive', { sink: 'orders', group, stop_after_failures: 2 })).body;
    const job = begun['job'] as Row; // as the method answers
    expect(job).toMatchObject({ matched: 4, started_by: 'ann', per_second: 5, concurrency: 4 });
    await expect
      .poll(async () => rows((await rpc('DlqJobs', { job: job['id'] })).body, 'jobs')[0]?.['state'], {
        timeout: 20_000,
      })
      .toBe('tripped');
    const { body: audit } = await rpc('AuditList', { method: 'DlqRedrive' });
    const records = rows(audit, 'records').toSorted((a, b) => (String(a['via']) < String(b['via']) ? -1 : 1));
    const target = `job:${job['id']}`;
    expect(records).toMatchObject([
      { actor: 'ann', via: 'rpc', target, outcome: 'ok' },
      {
        ...{ actor: 'ann', via: 'system', role: '', target, outcome: 'MSG_SINK_UNAVAILABLE' },
        detail: expect.stringMatching(/^state=tripped, matched=4, parked=[234]$/),
      },
    ]);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('msg_dlq_jobs_total{outcome="tripped"} 1');
    expect(metrics).toContain('msg_dlq_jobs_total{outcome="done"} 0');
    expect(metrics).toMatch(/^msg_dlq_jobs_running 0$/m);
  });

  it('of a low rate has it from its first letter', async () => {
    const rate = 0.1;
    await rpc('DlqRedrive', { sink: 'orders', all: true, per_second: rate, concurrency: 1 });
    const job = async (): Promise<Row> => rows((await rpc('DlqJobs', {})).body, 'jobs')[0] ?? {};
    await expect.poll(async () => (await job())['parked'], { timeout: 20_000 }).toBe(1);
    expect(await job()).toMatchObject({ state: 'running', per_second: rate, had_per_second: rate });
  });

  it('viewers see jobs and may not begin one', async () => {
    const viewer = rpcOf(
      service.url,
      service.msg.tokens.issueManagement('vera', 0, { role: 'viewer' }).token,
    );
    await rpc('DlqRedrive', { sink: 'orders', all: true });
    const samplesFor = async (caller: typeof rpc): Promise<unknown[]> =>
      rows((await caller('DlqJobs', {})).body, 'jobs')
        .flatMap(job => rows(job, 'groups'))
        .map(({ sample }) => sample);
    expect(await samplesFor(rpc)).toEqual(['ada@example.com at https://mail.example.com/in/secret is down']);
    expect(await samplesFor(viewer)).toEqual(['a…@example.com at https://mail.example.com is down']);
    expect((await viewer('DlqRedrive', { sink: 'orders', all: true })).status).toBe(403);
    const { body } = await viewer('DlqGroups', { sink: 'orders' });
    expect(rows(body, 'groups')).toMatchObject([{ count: 4 }]);
    expect((await viewer('DlqGet', { id: 'x' })).status).toBe(403);
  });
});
