import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MsgClient } from '@msg/client';
import { startApp } from '../server/app.ts';
import { BOARD, type Point } from '../shared/board.ts';

test('where one points, the other sees; nothing of it is kept', async t => {
  const app = await startApp({ port: 0 });
  t.after(() => app.stop());
  const newClient = () => {
    const client = new MsgClient({
      endpoint: app.url,
      getCredentials: async () => (await fetch(`${app.url}/session`, { method: 'POST' })).json(),
    });
    t.after(() => client.disconnect());
    return client;
  };
  const [pointing, watching] = [newClient(), newClient()];
  const board = watching.typedSubscribe<Point>(BOARD);
  const seen = new Promise<{ point: Point; user?: string; offset?: number }>(resolve => {
    board.on('publication', ({ data, info, offset }) =>
      resolve({ point: data, ...(info && { user: info.user }), ...(offset && { offset }) }),
    );
  });
  board.subscribe();
  await Promise.all([pointing.connect(), watching.connect(), board.ready()]);
  await pointing.publish(BOARD, { x: 0.25, y: 0.5 } satisfies Point);
  const { point, user, offset } = await seen;
  assert.deepEqual(point, { x: 0.25, y: 0.5 });
  assert.match(user ?? '', /^Guest \d{3}$/);
  assert.equal(offset, undefined);
});
