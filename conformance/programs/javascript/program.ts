// Runs one session with a release of centrifuge-js and prints what it saw, a line for each step: see ../README.md.
import { createRequire } from 'node:module';
import type { Centrifuge } from 'centrifuge';
import { WebSocket } from 'ws';

const [folder = '', name = '', url = '', encoding = '', channel = '', token = '', channelToken = ''] =
  process.argv.slice(2);
const load = createRequire(`${folder}/package.json`);
const module = load(encoding === 'json' ? name : `${name}/build/protobuf`) as Partial<
  Record<'Centrifuge' | 'default', typeof Centrifuge>
>;
// Lines 3 and 4 export the class of their Protobuf build as the default, and want to be told the encoding.
const Client = module.Centrifuge ?? module.default!;
const delays = { minReconnectDelay: 50, maxReconnectDelay: 200 };
const options = { websocket: WebSocket, token, protocol: encoding, ...delays };

const encode = (n: number): unknown => {
  const text = JSON.stringify({ n });
  return encoding === 'json' ? { n } : new TextEncoder().encode(text);
};
const decode = (data: unknown): number => {
  const value = encoding === 'json' ? data : JSON.parse(new TextDecoder().decode(data as Uint8Array));
  return (value as { n: number }).n; // the programs and the runner publish nothing else
};

const client = new Client(url, options);
const subscription = client.newSubscription(channel, { token: channelToken });
const numbers: number[] = [];
let wake = (): void => {};
let recovered = '';
subscription.on('publication', ({ data }) => {
  numbers.push(decode(data));
  wake();
});
subscription.on('subscribed', context => {
  if (context.wasRecovering) recovered = context.recovered ? 'recovered' : 'not recovered';
});

async function received(count: number): Promise<string> {
  while (numbers.length < count) {
    await new Promise<void>(resolve => {
      wake = resolve;
    });
  }
  return numbers.splice(0).join(' ');
}

client.connect();
await client.ready();
console.log('connect');
subscription.subscribe();
await subscription.ready();
console.log('subscribe');
console.log(`receive ${await received(1)}`);
await subscription.publish(encode(2));
console.log(`publish ${await received(1)}`);
const { publications } = await subscription.history({ limit: 10 });
console.log(`history ${publications.map(({ data }) => decode(data)).join(' ')}`);
const { clients } = await subscription.presence();
console.log(`presence ${Object.values(clients).map(({ user }) => user)}`);
const missed = await received(3);
console.log(`recovery ${recovered} ${missed}`);
client.disconnect();
