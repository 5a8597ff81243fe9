import { createInterface } from 'node:readline';
import { Centrifuge } from 'centrifuge';

const [name = 'ann', room = 'kitchen'] = process.argv.slice(2);
const port = process.env['PORT'] ?? 8000;
const client = new Centrifuge(`ws://localhost:${port}/connection/websocket`, { data: { name } });
client.on('connecting', ({ reason }) => console.log(`connecting: ${reason}`));
client.on('disconnected', ({ reason }) => console.log(`disconnected: ${reason}`));

const chat = client.newSubscription(`room:${room}`, { joinLeave: true });
chat.on('subscribed', async () => {
  const { clients } = await chat.presence();
  const people = new Set(Object.values(clients).map(({ user }) => user));
  console.log(`in ${room}: ${[...people].join(', ')}`);
});
chat.on('join', ({ info }) => console.log(`${info.user} came in`));
chat.on('leave', ({ info }) => console.log(`${info.user} went out`));
chat.on('publication', ({ data, info }) => console.log(`${info?.user}: ${data.text}`));
chat.subscribe();
client.connect();

const lines = createInterface({ input: process.stdin });
lines.on('line', text => chat.publish({ text }).catch(({ message }) => console.log(`not sent: ${message}`)));
lines.on('close', () => client.disconnect());
