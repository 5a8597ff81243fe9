// A load process that speaks the protocol of several kinds of servers: subscribers that count what they receive, and a
// publisher.
import { serveQuestions } from '../pinned.ts';
import type { Dialect } from './dialects/dialect.ts';
import { DIALECTS } from './dialects/table.ts';
import { PeerConnection } from './peer-connection.ts';
import type { PeerQuestion, Published } from './peers-questions.ts';

const OPENED_AT_ONCE = 64;
const DEADLINE_MS = 20_000;
/** Lets the sockets drain. */
const REST_MS = 4;

/** Stands once in a payload, and nowhere in what a server adds. */
const MARK = '^';
/** 256 bytes of JSON. */
const PAYLOAD = `{"mark":"${MARK}","text":"${'x'.repeat(256 - 22)}"}`;

let opened: { readonly dialect: Dialect; readonly channel: string; readonly port: number } | undefined;
let subscribers: PeerConnection[] = [];
let deliveries = 0;

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

type Open = Extract<PeerQuestion, { kind: 'open' }>;

async function open({ dialect: name, credential, port, channel, count }: Open) {
  const dialect = DIALECTS[name](credential);
  opened = { dialect, channel, port };
  const steps = dialect.subscribe(channel);
  const first = subscribers.length;
  let begun = first;
  const openNext = async (): Promise<void> => {
    while (begun < first + count) {
      const connection = new PeerConnection(port);
      subscribers[begun++] = connection;
      await connection.take(steps);
      connection.count(dialect, MARK, marks => {
        deliveries += marks;
      });
    }
  };
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, openNext));
  return {};
}

async function publish({ atOnce, ms }: Extract<PeerQuestion, { kind: 'publish' }>): Promise<Published> {
  if (opened === undefined) throw new Error('there are no subscribers');
  const { dialect, channel, port } = opened;
  const bytes = dialect.publish(channel, PAYLOAD, atOnce);
  // A new one each time: servers close idle connections of their APIs.
  const publisher = new PeerConnection(port);
  await publisher.take(dialect.publisher);
  publisher.count(dialect, MARK, () => {});
  deliveries = 0;
  let expected = 0;
  for (const end = performance.now() + ms; performance.now() < end; ) {
    publisher.write(bytes);
    expected += atOnce * subscribers.length;
    const deadline = performance.now() + DEADLINE_MS;
    while (deliveries < expected) {
      if (performance.now() > deadline) throw new Error(`${deliveries} of ${expected} deliveries arrived`);
      await pause(1);
    }
    await pause(REST_MS);
  }
  publisher.reset();
  if (deliveries !== expected) throw new Error(`${deliveries} deliveries arrived instead of ${expected}`);
  return { deliveries };
}

serveQuestions<PeerQuestion>(question => {
  switch (question.kind) {
    case 'open':
      return open(question);
    case 'publish':
      return publish(question);
    case 'reset':
      for (const connection of subscribers) connection.reset();
      subscribers = [];
      return {};
  }
});
