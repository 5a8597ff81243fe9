import { resolve } from 'node:path';
import { eventually, freePort, runMsg, ShellProcess } from '@msg/testkit';
import { afterEach, expect, test } from 'vitest';
import { closeClients, received, stockClient } from '../../support/stock-client.ts';

const ROOT = resolve(import.meta.dirname, '../../../../..');

afterEach(closeClients);

test.each(['standalone', 'sentinel', 'cluster'])(
  'the cluster example serves through its proxy, every request at another node: %s',
  async kind => {
    const command = `exec "${process.execPath}" --conditions=msg-source examples/cluster/main.ts ${kind}`;
    const example = new ShellProcess(command, { cwd: ROOT, env: { PORT: String(await freePort()) } });
    try {
      await example.printed('stdout', /^ready/m, 120_000);
      const [, server = ''] = /^export MSG_SERVER=(.+)$/m.exec(example.stdout) ?? [];
      const [, token = ''] = /^export MSG_TOKEN=(.+)$/m.exec(example.stdout) ?? [];
      const env = { MSG_SERVER: server, MSG_TOKEN: token };
      const name = 'public:demo.room';
      expect(await runMsg(['channels', 'open', name], { env })).toMatchObject({ code: 0 });
      for (let times = 0; times < 2; times++) {
        const listed = await runMsg(['channels', 'list'], { env });
        expect(listed).toMatchObject({ code: 0 });
        expect(listed.stdout).toContain(name);
      }
      const websocket = `${server.replace('http', 'ws')}/connection/websocket`;
      // One at each node; a publication reaches both.
      const subscriptions = [stockClient(websocket), stockClient(websocket)].map(client => {
        const subscription = client.newSubscription(name);
        const publications = received(subscription);
        subscription.subscribe();
        client.connect();
        return { subscription, publications };
      });
      for (const { subscription } of subscriptions) await subscription.ready(60_000);
      expect(await runMsg(['publish', name, '-d', '{"hello":"world"}'], { env })).toMatchObject({ code: 0 });
      for (const { publications } of subscriptions)
        await eventually('it arrives', () => publications[0]?.data.hello === 'world');
    } finally {
      await example.stop();
    }
  },
  180_000,
);
