// Order status: the shop changes an order, the customer's page follows. Run with
//   npx node --conditions=msg-source examples/order-status/server.mjs
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { HTTP_TIMEOUTS, Msg } from '@msg/server';

const STEPS = ['Paid', 'Packed', 'Label printed', 'Handed to carrier', 'Delivered'];
const CHANNEL = 'public:shop.orders.1042';

const server = createServer(HTTP_TIMEOUTS, answer);
const msg = await Msg.start({ server, channels: { open: [{ name: CHANNEL, ttlMs: Infinity }] } });
const handle = msg.handler();

/** What the shop knows of the order. A real shop keeps it in its database. */
const order = { number: 1042, steps: [] };

/** The next step of the order: into the shop's state, then to the page that follows it. */
async function advance() {
  const name = STEPS[order.steps.length];
  if (name === undefined) return { published: undefined };
  const step = { name, at: new Date().toTimeString().slice(0, 5) };
  order.steps.push(step);
  const { offset } = await msg.publish(CHANNEL, step);
  return { published: offset, channel: CHANNEL };
}

const file = name => readFileSync(join(import.meta.dirname, name));
const pages = {
  '/orders/1042': ['text/html', () => file('customer.html')],
  '/staff': ['text/html', () => file('shop.html')],
  '/style.css': ['text/css', () => file('style.css')],
  '/api/order': ['application/json', () => JSON.stringify({ ...order, all: STEPS })],
};

async function answer(request, response) {
  const [type, body] = pages[request.url] ?? [];
  if (request.method === 'POST' && request.url === '/api/advance')
    response.setHeader('content-type', 'application/json').end(JSON.stringify(await advance()));
  else if (body !== undefined) response.setHeader('content-type', type).end(body());
  else handle(request, response);
}

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`order status on http://127.0.0.1:${server.address().port}`),
);

process.once('SIGTERM', async () => {
  await msg.stop();
  server.close();
  server.closeAllConnections();
});
