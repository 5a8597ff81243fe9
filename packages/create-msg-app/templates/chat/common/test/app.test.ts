import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MsgClient } from '@msg/client';
import { startApp } from '../server/app.ts';
import { type Line, ROOM } from '../shared/room.ts';

test('what ann says reaches bob, with her name', async t => {
  const app = await startApp({ port: 0 });
  t.after(() => app.stop());
  const clientOf = (name: string) => {
    const client = new MsgClient({
      endpoint: app.url,
      getCredentials: async () => (await fetch(`${app.url}/session?name=${name}`, { method: 'POST' })).json(),
    });
    t.after(() => client.disconnect());
    return client;
  };
  const [ann, bob] = [clientOf('ann'), clientOf('bob')];
  const room = bob.typedSubscribe<Line>(ROOM);
  const said = new Promise<{ user?: string; text: string }>(resolve => {
    room.on('publication', ({ data, info }) => resolve({ ...info, text: data.text }));
  });
  room.subscribe();
  await Promise.all([ann.connect(), bob.connect(), room.ready()]);
  await ann.publish(ROOM, { text: 'hello' } satisfies Line);
  const { user, text } = await said;
  assert.deepEqual({ user, text }, { user: 'ann', text: 'hello' });
});

test('nobody gets a token without a name', async t => {
  const app = await startApp({ port: 0 });
  t.after(() => app.stop());
  for (const name of ['', '%20', 'x'.repeat(41)])
    assert.equal((await fetch(`${app.url}/session?name=${name}`, { method: 'POST' })).status, 400);
});
