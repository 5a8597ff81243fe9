import { eventually } from '@msg/testkit';
import { expect } from 'vitest';
import { type MethodRow, methodRow } from './row.ts';
import type { Stage } from './stage.ts';

const APPENDING = 'public:grow';
const text = { message: 'm', producer: 'p', seq: 1, text: 'so far' };
const append = (stage: Stage, request: object) => stage.client().call('Append', request);

/** Messages that grow. */
export const appendRows: readonly MethodRow[] = [
  methodRow(
    'Append',
    { name: 'append', line: ({ name = '', message = '' }) => [name, '--message', message] },
    async (ask, stage) => {
      const name = await stage.opened(APPENDING);
      const listener = await stage.listener(name);
      const ops = [{ text: '' }, { status: 'complete' }];
      const answer = await ask({ name, message: 'm', producer: 'p', seq: 1, ops });
      return async () => {
        expect(answer).toMatchObject({ status: 'complete', seq: 2 });
        const ends = () => listener.publications.filter(({ data }) => data.status === 'complete');
        await eventually('the end arrives', () => ends().length === 1);
        expect(ends()).toMatchObject([{ offset: answer.offset, data: { id: 'm', text: '' } }]);
        expect(JSON.stringify(ends()[0]?.data)).toHaveLength(answer.size);
        expect(await listener.epoch()).toBe(answer.epoch);
      };
    },
  ),
  methodRow(
    'AppendState',
    {
      name: 'streams get',
      line: ({ name = '', message = '', with_document }) => [
        name,
        message,
        ...(with_document === true ? ['--document'] : []),
      ],
    },
    async (ask, stage) => {
      const name = await stage.opened(APPENDING);
      const listener = await stage.listener(name);
      const stored = await append(stage, { name, ...text, run: 'r', input: 'i' });
      const state = await ask({ name, message: 'm', with_document: true });
      return async () => {
        const { offset, epoch, size, seq } = stored;
        expect(state).toMatchObject({
          offset,
          epoch,
          size,
          seq,
          expected_seq: seq + 1,
          run: 'r',
          input: 'i',
        });
        await eventually('it arrives', () => listener.publications.length === 1);
        const seen = listener.publications[0]?.data;
        expect(JSON.parse(Buffer.from(state.document ?? []).toString())).toEqual(seen);
        expect(state).toMatchObject({ message: seen.id, status: seen.status, producer: 'p' });
      };
    },
  ),
  methodRow(
    'AppendCancel',
    { name: 'streams cancel', line: ({ name = '', reason = '' }) => [name, '--reason', reason] },
    async (ask, stage) => {
      const name = await stage.opened(APPENDING);
      await append(stage, { name, ...text });
      const answer = await ask({ name, reason: 'enough' });
      return async () => {
        expect(answer).toMatchObject({ status: 'streaming', cancel: { reason: 'enough' } });
        const { cancel } = await append(stage, { name, ...text, seq: 2 });
        expect(cancel).toEqual(answer.cancel);
        await eventually(
          'the service ends it',
          async () => (await stage.client().call('AppendState', { name })).status === 'cancelled',
          20_000,
        );
      };
    },
  ),
];
