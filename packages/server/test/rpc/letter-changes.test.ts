import { terminal } from '@msg/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { rpcOf } from '../support/rpc.ts';

let service: Embedded;
let rpc: ReturnType<typeof rpcOf>;
let isDown: boolean;
let sends: unknown[];

type Row = Readonly<Record<string, unknown>>;
const letters = async (): Promise<readonly Row[]> =>
  (await rpc('DlqList', { sink: 'orders' })).body['items'] as readonly Row[]; // as the method answers
const refusal = async (method: string, request: object): Promise<unknown> => {
  const { status, code, body } = await rpc(method, request);
  return [status, code, body['msg']];
};

beforeEach(async () => {
  isDown = true;
  sends = [];
  service = await embed({
    sinks: [
      {
        name: 'orders',
        decodeRecipient(stored) {
          if (typeof stored !== 'object') throw new Error('a recipient is an object');
          return stored;
        },
        checkRecipient(recipient) {
          if ((recipient as Row)['to'] === 'nowhere') throw new Error('nowhere is no address');
        },
        async send(recipient, { body }) {
          sends.push([recipient, body]);
          if (isDown) throw terminal(new Error('the destination is down'));
        },
      },
    ],
  });
  rpc = rpcOf(service.url, service.msg.tokens.issueManagement('ann').token);
  for (const to of [1, 2, 3])
    await service.msg.publishOrSink(`public:shop.n${to}`, null, 'orders', { to }, { body: `body ${to}` });
});
afterEach(stopEmbedded);

describe('DlqUpdate', () => {
  it('changes recipient and message, and keeps the rest; the next replay sends them', async () => {
    const [letter = {}] = await letters();
    const { id } = letter;
    const { body } = await rpc('DlqUpdate', { id, recipient: { to: 'ann' } });
    const item = body['item'] as Row; // as the method answers
    const edit = { by: 'ann', at: expect.stringMatching(/^20.*Z$/) };
    expect(item).toEqual({ ...letter, recipient: { to: 'ann' }, edits: [edit] });
    const message = { subject: 'S', body: 'other', metadata: { a: 'b' } };
    const again = (await rpc('DlqUpdate', { id, message })).body['item'];
    expect(again).toMatchObject({ recipient: { to: 'ann' }, message, size: 5, edits: [edit, edit] });
    expect((await letters())[0]).toEqual(again);
    isDown = false;
    expect((await rpc('DlqReplay', { id })).body).toEqual({ outcome: 'sent', attempts: 2, last_error: '' });
    expect(sends.at(-1)).toEqual([{ to: 'ann' }, 'other']);
    const { body: audit } = await rpc('AuditList', { method: 'DlqUpdate' });
    expect(audit['records']).toMatchObject([
      { actor: 'ann', target: `dead_letter:${id}`, detail: '', outcome: 'ok' },
      { target: `dead_letter:${id}` },
    ]);
  });

  it('refuses what the sink refuses, and changes nothing', async () => {
    const before = await letters();
    const id = before[0]?.['id'];
    expect(await refusal('DlqUpdate', { id, recipient: 'x' })).toEqual([
      412,
      'MSG_SINK_RECIPIENT_DECODE',
      'sink orders cannot read the stored recipient: a recipient is an object',
    ]);
    expect((await refusal('DlqUpdate', { id, recipient: { to: 'nowhere' } })) as unknown[]).toContain(
      'sink orders refuses the recipient: nowhere is no address',
    );
    expect(await refusal('DlqUpdate', { id })).toEqual([
      400,
      'MSG_INVALID_ARGUMENT',
      'recipient or message is required',
    ]);
    expect((await rpc('DlqUpdate', { recipient: {} })).body['msg']).toBe('id is required');
    expect((await rpc('DlqUpdate', { id: 'none', recipient: {} })).code).toBe('MSG_SINK_DLQ_NOT_FOUND');
    expect(await letters()).toEqual(before);
  });
});

describe('DlqReplay', () => {
  it('tells the attempts and the last error', async () => {
    const id = (await letters())[0]?.['id'];
    expect((await rpc('DlqReplay', { id })).body).toEqual({
      outcome: 'parked',
      attempts: 2,
      last_error: 'the destination is down',
    });
  });
});

describe('DlqDiscard and DlqRestore', () => {
  it('some by their ids, for good', async () => {
    const ids = (await letters()).map(({ id }) => id);
    const { body } = await rpc('DlqDiscard', { ids: [ids[0], ids[1], 'none', ids[0]] });
    expect(body).toEqual({ discarded: 2, ids: [] });
    expect((await letters()).map(({ id }) => id)).toEqual([ids[2]]);
    expect((await rpc('DlqRestore', { ids })).body).toEqual({ restored: 0 });
  });

  it('a group, which comes back within its time', async () => {
    const before = await letters();
    const [{ group, id } = {}] = before;
    const { body } = await rpc('DlqDiscard', { sink: 'orders', group, undo_seconds: 60 });
    expect(body['discarded']).toBe(3);
    expect([...(body['ids'] as string[])].sort()).toEqual(before.map(letter => letter['id']).sort());
    expect(await letters()).toEqual([]);
    expect((await rpc('DlqCount', {})).body).toEqual({ count: 0 });
    expect((await rpc('DlqGroups', { sink: 'orders' })).body['groups']).toEqual([]);
    expect((await rpc('DlqReplay', { id })).code).toBe('MSG_SINK_DLQ_NOT_FOUND');
    expect((await rpc('DlqRestore', { ids: body['ids'] })).body).toEqual({ restored: 3 });
    expect(await letters()).toEqual(before);
    const { body: audit } = await rpc('AuditList', { method: 'DlqDiscard' });
    expect(audit['records']).toMatchObject([
      { target: '', detail: `sink=orders, group=${group}, undo_seconds=60, discarded=3` },
    ]);
  });

  it.each([
    [{}, 'id is required, or ids, or group with sink'],
    [{ id: 'a', ids: ['b'] }, 'exactly one of id, ids and group is allowed'],
    [{ id: 'a', sink: 'orders' }, 'group and sink belong together'],
    [{ group: 'a' }, 'group and sink belong together'],
    [{ id: 'a', undo_seconds: 301 }, 'undo_seconds must be from 0 to 300; got 301'],
    [{ id: 'a', undo_seconds: -1 }, 'undo_seconds must be from 0 to 300; got -1'],
    [
      { ids: Array.from({ length: 501 }, (_, index) => `n${index}`) },
      'ids must not have more than 500 entries; got 501',
    ],
  ])('DlqDiscard refuses %j', async (request, text) => {
    expect(await refusal('DlqDiscard', request)).toEqual([400, 'MSG_INVALID_ARGUMENT', text]);
  });

  it.each([
    [{}, 'ids is required'],
    [
      { ids: Array.from({ length: 501 }, (_, index) => `n${index}`) },
      'ids must not have more than 500 entries; got 501',
    ],
  ])('DlqRestore refuses %j', async (request, text) => {
    expect(await refusal('DlqRestore', request)).toEqual([400, 'MSG_INVALID_ARGUMENT', text]);
  });

  it.each([
    ['DlqUpdate', { id: 'x', recipient: {} }],
    ['DlqDiscard', { id: 'x' }],
    ['DlqRestore', { ids: ['x'] }],
  ])('viewers do not call %s', async (method, request) => {
    const { token } = service.msg.tokens.issueManagement('vera', 0, { role: 'viewer' });
    expect((await rpcOf(service.url, token)(method, request)).status).toBe(403);
  });
});
