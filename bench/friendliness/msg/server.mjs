import { createServer } from 'node:http';
import { Msg } from '@msg/server';
import express from 'express';

const orders = new Map([['7', { user: 'ada', status: 'ordered' }]]);
const userOf = request => /user=(\w+)/.exec(request.headers.cookie ?? '')?.[1];
const channelOf = id => `private:shop.order.${id}`;

const app = express();
const server = createServer(app);
const msg = await Msg.start({ server });
for (const [id, { user }] of orders) await msg.channels.createPrivate({ name: channelOf(id), subject: user });

app.get('/', (_, response) => response.sendFile('page.html', { root: import.meta.dirname }));
app.get('/orders/:id', async (request, response) => {
  const { id } = request.params;
  const order = orders.get(id);
  if (order === undefined || order.user !== userOf(request)) return response.sendStatus(403);
  const scopes = [{ pattern: channelOf(id), verbs: ['subscribe'] }];
  response.json({ ...order, credentials: await msg.tokens.issueAccess({ subject: order.user, scopes }) });
});
// The shop's own: behind its login.
app.post('/orders/:id/:status', async ({ params: { id, status } }, response) => {
  orders.get(id).status = status;
  await msg.publish(channelOf(id), { status });
  response.sendStatus(204);
});
app.use(msg.handler());
server.listen(process.env.PORT ?? 3000);
