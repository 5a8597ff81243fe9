import { expect } from 'vitest';
import { type MethodRow, methodRow } from './row.ts';
import { claimsOf, type Stage } from './stage.ts';

/** A subscriber, and the id of its connection. */
async function listening(stage: Stage, user: string) {
  const pair = await stage.created(user);
  const listener = await stage.listener(pair.name, pair.access_token);
  const { connections } = await stage.client().call('ListConnections', { user, name: pair.name });
  return { pair, listener, client: connections[0]?.client ?? '' };
}

const named = ({ recording = '' }) => [recording];

/** The flight recorder. */
export const recordingRows: readonly MethodRow[] = [
  methodRow(
    'StartRecording',
    {
      name: 'recordings start',
      line: ({ client = '', seconds = 60 }) => [client, '--seconds', String(seconds)],
    },
    async (ask, stage) => {
      const { listener, client } = await listening(stage, 'rita');
      const { recording, until, user } = await ask({ client, seconds: 300 });
      return async () => {
        expect(user).toBe('rita');
        expect(Math.abs(Date.parse(until) - Date.now() - 300_000)).toBeLessThan(60_000);
        const row = await stage.client().call('GetConnection', { client });
        expect(row.connection?.recording).toBe(true);
        listener.leave();
        await stage.client().call('StopRecording', { recording });
      };
    },
  ),
  methodRow('GetRecording', { name: 'recordings get', line: named }, async (ask, stage) => {
    const { pair, listener, client } = await listening(stage, 'rob');
    const { recording } = await stage.client().call('StartRecording', { client });
    await listener.history(1);
    await stage.client().call('StopRecording', { recording });
    const answer = await ask({ recording });
    return async () => {
      expect(answer.state).toBe('stopped');
      expect(answer.frames.map(({ direction, name }) => [direction, name])).toEqual([
        ['in', 'history'],
        ['out', 'history'],
      ]);
      expect(answer.frames[0]?.channel).toBe(pair.name);
      expect(JSON.stringify(answer)).not.toContain(String(claimsOf(pair.access_token)['jti']));
      listener.leave();
    };
  }),
  methodRow(
    'StopRecording',
    { name: 'recordings stop', line: named, answer: () => ({}) },
    async (ask, stage) => {
      const { listener, client } = await listening(stage, 'ruth');
      const { recording } = await stage.client().call('StartRecording', { client });
      await ask({ recording });
      return async () => {
        const row = await stage.client().call('GetConnection', { client });
        expect(row.connection?.recording).toBe(false);
        listener.leave();
      };
    },
  ),
];
