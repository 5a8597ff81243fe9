// Order status: the shop changes an order, the customer's page follows. Run with
//   npx node --conditions=msg-source examples/orders/server.mjs
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { HTTP_TIMEOUTS, Msg } from '@msg/server';

const STEPS = ['Paid', 'Packed', 'Label printed', 'Handed to carrier', 'Delivered'];
const CHANNEL = 'public:shop.orders.1042';

const msg = await Msg.create({ channels: { open: [{ name: CHANNEL, ttlMs: Infinity }] } });
const handle = msg.handler();

/** What the shop knows of the order. A real shop keeps it in its database. */
const order = { number: 1042, steps: [] };

/** The next step of the order: into the shop's state, then to whoever follows it. */
async function advance() {
  const name = STEPS[order.steps.length];
  if (name === undefined) return { published: undefined };
  const step = { name, at: new Date().toTimeString().slice(0, 5) };
  order.steps.push(step);
  const { offset } = await msg.publish(CHANNEL, Buffer.from(JSON.stringify(step)));
  return { published: offset, channel: CHANNEL };
}

const file = name => readFileSync(join(import.meta.dirname, name));
const client = join(createRequire(import.meta.url).resolve('centrifuge'), '../../dist/centrifuge.js');
const pages = {
  '/orders/1042': ['text/html', () => file('customer.html')],
  '/staff': ['text/html', () => file('shop.html')],
  '/style.css': ['text/css', () => file('style.css')],
  '/centrifuge.js': ['text/javascript', () => readFileSync(client)],
  '/api/order': ['application/json', () => JSON.stringify({ ...order, all: STEPS })],
};

const server = createServer(HTTP_TIMEOUTS, async (request, response) => {
  const [type, body] = pages[request.url] ?? [];
  if (request.method === 'POST' && request.url === '/api/advance')
    response.setHeader('content-type', 'application/json').end(JSON.stringify(await advance()));
  else if (body !== undefined) response.setHeader('content-type', type).end(body());
  else handle(request, response);
});
msg.attach(server);
await once(server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1'), 'listening');

const stop = new AbortController();
const ended = msg.run(stop.signal, { onLeft: () => server.close() });
await msg.ready();
console.log(`order status on http://127.0.0.1:${server.address().port}`);

process.once('SIGTERM', async () => {
  stop.abort();
  await ended;
  server.closeAllConnections();
});
