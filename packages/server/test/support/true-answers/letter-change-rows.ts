import { expect } from 'vitest';
import { type MethodRow, methodRow } from './row.ts';
import type { Stage } from './stage.ts';
import { SINK } from './stage.ts';

const lettersOf = async (stage: Stage) => (await stage.client().call('DlqList', {})).items;

/** Changes of dead letters. */
export const letterChangeRows: readonly MethodRow[] = [
  methodRow(
    'DlqUpdate',
    {
      name: 'dlq edit',
      line: ({ id = '', message }) => [id, '--body', message?.body ?? ''],
    },
    async (ask, stage) => {
      const [body = ''] = await stage.parked(1);
      const [before] = await lettersOf(stage);
      const id = before?.id ?? '';
      const changed = `${body} changed`;
      const { item } = await ask({ id, message: { ...before?.message, body: changed } });
      return async () => {
        expect(item).toMatchObject({
          id,
          body: changed,
          attempts: before?.attempts,
          parked_at: before?.parked_at,
        });
        expect(await lettersOf(stage)).toEqual([item]);
        stage.hook.behaviour = { status: 200 };
        await stage.client().call('DlqReplay', { id });
        expect([stage.sends(body), stage.sends(changed)]).toEqual([before?.attempts, 1]);
      };
    },
  ),
  methodRow(
    'DlqDiscard',
    {
      name: 'dlq discard',
      line: ({ id = '', undo_seconds = 0 }) => [id, '--undo', `${undo_seconds}s`],
      answer: ({ discarded, ids }) => ({ discarded, ids }),
    },
    async (ask, stage) => {
      const [body = '', kept = '', hidden = ''] = await stage.parked(3);
      const items = await lettersOf(stage);
      const idOf = (text: string): string => items.find(item => item.body === text)?.id ?? '';
      const forGood = await ask({ id: idOf(body) });
      const forNow = await ask({ id: idOf(hidden), undo_seconds: 60 });
      return async () => {
        expect([forGood, forNow]).toEqual([
          { discarded: 1, ids: [] },
          { discarded: 1, ids: [idOf(hidden)] },
        ]);
        stage.hook.behaviour = { status: 200 };
        for (const text of [body, hidden])
          expect((await stage.rpc('DlqReplay', { id: idOf(text) })).code).toBe('MSG_SINK_DLQ_NOT_FOUND');
        expect([stage.sends(body), stage.sends(hidden)]).toEqual([2, 2]);
        expect((await lettersOf(stage)).map(item => item.body)).toEqual([kept]);
        expect((await stage.client().call('DlqCount', { sink: SINK })).count).toBe(1);
      };
    },
  ),
  methodRow('DlqRestore', { name: 'dlq restore', line: ({ ids = [] }) => ids }, async (ask, stage) => {
    await stage.parked(2);
    const before = await lettersOf(stage);
    const ids = before.map(({ id }) => id);
    await stage.client().call('DlqDiscard', { ids: ids.slice(0, 1), undo_seconds: 60 });
    const { restored } = await ask({ ids });
    return async () => {
      expect(restored).toBe(1);
      expect(await lettersOf(stage)).toEqual(before);
    };
  }),
];
