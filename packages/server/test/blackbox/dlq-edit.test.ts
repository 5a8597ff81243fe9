import { runMsg } from '@msg/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { hookServer } from '../notify/sinks/support/servers.ts';
import { configuredServer } from '../support/configured-server.ts';
import { rpcOf } from '../support/rpc.ts';

test('an edit on the command line does not save a message that it has not seen whole', async () => {
  const { url } = await hookServer({ status: 503 });
  const server = await configuredServer(
    `sinks:\n  orders: { kind: webhook, url: "${url}/hook" }\nsink_retry: { max_attempts: 1 }\n`,
  );
  onTestFinished(() => server.stop());
  const env = { MSG_SERVER: server.url, MSG_TOKEN: server.token };
  const run = (...args: string[]) => runMsg(args, { env });
  const message = { subject: 'Order 7', body: 'a'.repeat(2_200_000), metadata: {} };
  const name = 'public:shop.order.7';
  await rpcOf(server.url, server.token)('PublishOrSink', { name, sink: 'orders', recipient: null, message });
  const listed = JSON.parse((await run('dlq', 'list', 'orders')).stdout);
  const [{ id, size, truncated }] = listed.payload.items;
  expect([size, truncated]).toEqual([2_200_000, true]);
  const refused = await run('dlq', 'edit', id, '--subject', 'Order 8');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('is too long for one answer: give --subject, --body and --metadata');
  const whole = ['--subject', 'Order 8', '--body', 'short', '--metadata', '{}'];
  expect(JSON.parse((await run('dlq', 'edit', id, ...whole)).stdout).payload.item).toMatchObject({
    message: { subject: 'Order 8', body: 'short', metadata: {} },
    truncated: false,
  });
});
