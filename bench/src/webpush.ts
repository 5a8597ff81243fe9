import { type ChildProcess, fork } from 'node:child_process';
import { createECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { createInterface } from 'node:readline';
import { generateVapidKeys, WebPushSink } from '@msg/server';
import { pushFetch } from '@msg/server/internal';
import { localhostCertificate } from '@msg/testkit';
import webPush from 'web-push';
import { measureInTurns, numericOptions } from './comparison.ts';
import { printQuantity } from './report.ts';

const DEFAULTS = { pairs: 7, messages: 10_000, at_once: 200 };
/** To one push service. Source: app-developers 13 */
const MOST_CONNECTIONS = 50;
/** Of this process, above what it had before a round, whatever the number of messages. */
const MOST_GROWN_MIB = 128;
const MESSAGE = { subject: 'Order 7 is paid', body: 'It leaves tomorrow.', metadata: { url: '/orders/7' } };

interface Sample {
  readonly cpuUs: number;
  readonly messages: number;
  /** That messages went over. */
  readonly connections: number;
  /** Growth of this process's memory at its highest. */
  readonly grownBytes: number;
}

/**
 * Sending push messages to one push service, against the package `web-push` with connections that it uses again: both
 * encrypt each message anew and sign one token for the service as they do by themselves.
 */
export async function run(args: string[]): Promise<void> {
  const { pairs, messages, at_once: atOnce } = numericOptions(args, DEFAULTS);
  const double = fork(new URL('./servers/push-double.ts', import.meta.url).pathname, { silent: true });
  try {
    const origin = `https://${await addressOf(double)}`;
    const recipient = subscription(origin);
    const keys = generateVapidKeys();
    const ours = sinkTo(keys.privateKey);
    const theirs = packageTo(keys);
    console.log(`webpush: ${messages} messages, ${atOnce} at a time, to a push service on TLS`);
    const measured = await measureInTurns(
      pairs,
      () =>
        counted(
          double,
          sample(messages, atOnce, () => ours(recipient)),
        ),
      () =>
        counted(
          double,
          sample(messages, atOnce, () => theirs(recipient)),
        ),
    );
    printQuantity(measured, 'web-push', {
      name: 'µs CPU per message',
      of: ({ cpuUs, messages: sent }) => cpuUs / sent,
      digits: 0,
      wanted: '≤ 1.0',
    });
    const most = Math.max(...measured.map(({ engine }) => engine.connections));
    console.log(`  connections to the push service: ${most} at most, wanted ≤ ${MOST_CONNECTIONS}`);
    if (most > MOST_CONNECTIONS) throw new Error(`${most} connections to one push service`);
    printQuantity(measured, 'web-push', {
      name: 'memory grown, MiB',
      of: ({ grownBytes }) => grownBytes / 2 ** 20,
      digits: 1,
      wanted: `≤ ${MOST_GROWN_MIB}, ours`,
    });
    const grown = Math.max(...measured.map(({ engine }) => engine.grownBytes)) / 2 ** 20;
    if (grown > MOST_GROWN_MIB) throw new Error(`${grown.toFixed(0)} MiB more memory in one round`);
  } finally {
    double.kill();
  }
}

type Recipient = ReturnType<typeof subscription>;

function subscription(origin: string) {
  const keys = createECDH('prime256v1');
  return {
    endpoint: `${origin}/wpush/v2/7`,
    keys: { p256dh: keys.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') },
  };
}

function sinkTo(vapidPrivateKey: string): (recipient: Recipient) => Promise<unknown> {
  const sink = new WebPushSink({
    vapidSubject: 'mailto:ops@example.com',
    vapidPrivateKey,
    allowPrivate: true,
    fetch: pushFetch({ isAllowed: () => true, ca: localhostCertificate().cert }),
  });
  return recipient => sink.send(recipient, MESSAGE, { channel: 'private:shop.user.u-7' });
}

function packageTo(keys: { readonly publicKey: string; readonly privateKey: string }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 50, ca: localhostCertificate().cert });
  const options = { agent, TTL: 86_400, vapidDetails: { subject: 'mailto:ops@example.com', ...keys } };
  const payload = JSON.stringify({ ...MESSAGE, channel: 'private:shop.user.u-7' });
  return (recipient: Recipient) => webPush.sendNotification(recipient, payload, options);
}

async function counted(
  double: ChildProcess,
  sampling: Promise<Omit<Sample, 'connections'>>,
): Promise<Sample> {
  const sampled = await sampling;
  const answered = once(double, 'message');
  double.send('most');
  const [connections] = (await answered) as [number];
  return { ...sampled, connections };
}

/** Sends so many messages, so many at a time. */
async function sample(
  messages: number,
  atOnce: number,
  send: () => Promise<unknown>,
): Promise<Omit<Sample, 'connections'>> {
  const [cpu, memory] = [process.cpuUsage(), process.memoryUsage.rss()];
  let left = messages;
  let highest = memory;
  const sender = async (): Promise<void> => {
    while (left-- > 0) {
      await send();
      if (left % 100 === 0) highest = Math.max(highest, process.memoryUsage.rss());
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
  const { user, system } = process.cpuUsage(cpu);
  return { messages, cpuUs: user + system, grownBytes: highest - memory };
}

async function addressOf(double: ChildProcess): Promise<string> {
  if (double.stderr === null) throw new Error('the push service has no standard error');
  const [line] = (await once(createInterface(double.stderr), 'line')) as [string];
  return (JSON.parse(line) as { addr: string }).addr;
}
