import { ReplyError } from '@msg/engine';
import { afterEach, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from './harness.ts';

let harness: Harness;
afterEach(() => harness.stop());

it('what stands around a publish sees channel and data, the decision, and how it ends', async () => {
  const seen: unknown[] = [];
  harness = await Harness.start({
    policy: {
      ...OPEN_POLICY,
      publish(_client, { channel }) {
        seen.push('decision');
        if (channel === 'closed') throw new ReplyError(103, 'permission denied');
        return {};
      },
      published: () => seen.push('published'),
    },
    async aroundPublish({ channel, data }, work) {
      seen.push(`${channel} ${Buffer.from(data)}`);
      await work().finally(() => seen.push('end'));
    },
  });
  const client = await harness.connected();
  const publish = (channel: string) => client.request({ publish: { channel, data: Buffer.from('{"n":1}') } });
  expect((await publish('news')).error).toBeNull();
  expect((await publish('closed')).error).toMatchObject({ code: 103 });
  expect(seen).toEqual(['news {"n":1}', 'decision', 'published', 'end', 'closed {"n":1}', 'decision', 'end']);
});
