// A load process: clients that are subscribed at one server, and go to another when it is gone.
import { channelName } from '../channels.ts';
import { serveQuestions } from '../pinned.ts';
import { nowUs } from '../stamp.ts';
import { StormClient } from './storm-client.ts';
import type { Complete, Recovered, StormQuestion } from './storm-questions.ts';

const OPENED_AT_ONCE = 64;
const DEADLINE_MS = 120_000;

let clients: StormClient[] = [];
let moments: number[] = [];
let lastReply: Buffer = Buffer.alloc(0);

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error('the storm does not settle');
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}

async function open(question: Extract<StormQuestion, { kind: 'open' }>) {
  const { port, refuge, count, channels, channel, isChecked } = question;
  moments = [];
  const openNext = async (): Promise<void> => {
    while (clients.length < count) {
      await new Promise<void>(resolve => {
        const name = channel ?? channelName(clients.length % channels);
        const client = new StormClient(port, name, isChecked, reply => {
          moments.push(nowUs());
          lastReply = reply;
          resolve();
        });
        client.refuge = refuge;
        clients.push(client);
      });
    }
  };
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, openNext));
  moments = [];
  return {};
}

/** Waits until so many clients have come back. */
async function recovered(count = clients.length): Promise<Recovered> {
  await until(() => moments.length >= count);
  const middle = moments[Math.floor(moments.length / 2)] as number;
  const last = moments.at(-1) as number;
  return { medianUs: middle, lastUs: last, reply: lastReply.toString('base64') };
}

/** Waits until every client has got everything up to an offset: one that meets a gap ends this process. */
async function complete(last: number): Promise<Complete> {
  const whole = (): number => clients.filter(({ offset }) => offset === last).length;
  await until(() => whole() === clients.length);
  return { clients: whole() };
}

serveQuestions<StormQuestion>(async question => {
  switch (question.kind) {
    case 'open':
      return open(question);
    case 'recovered':
      return recovered(question.count);
    case 'complete':
      return complete(question.offset);
    case 'stop':
      for (const client of clients) client.stop();
      clients = [];
      return {};
  }
});
