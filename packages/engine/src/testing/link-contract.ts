import assert from 'node:assert/strict';
import { LinkRequestFailed } from '../threads/link/error-rows.ts';
import type { LinkEnd } from '../threads/link/link-end.ts';
import { FIRST_KIND } from '../threads/link/link-end.ts';
import { LinkBusy, LinkTimeout } from '../threads/link/pending-requests.ts';
import type { ContractCase } from './contract-case.ts';

/** Both ends of a new link in one thread, made with the rows of {@link LINK_TEST_ERRORS}. */
export interface LinkSubject {
  readonly main: LinkEnd;
  readonly thread: LinkEnd;
  /** Moves an injected clock. */
  advance(ms: number): Promise<void>;
  /** Polls until the condition holds; rejects after a deadline. */
  eventually(what: string, holds: () => boolean): Promise<void>;
}

/** The errors that a subject's link has a row for. */
export const LINK_TEST_ERRORS = [
  {
    name: 'range',
    pack: (error: unknown) => (error instanceof RangeError ? { message: error.message } : null),
    unpack: ({ message }: Readonly<Record<string, unknown>>) => new RangeError(String(message)),
  },
];

const EVENT = FIRST_KIND;
const QUESTION = FIRST_KIND + 1;
const KIB = 1024;
const SIZES = [0, 1, 7, 8, 9, 500, 2032, 2033, 65_536, 65_537, 300_000, 3];

const filled = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
const text = (value: Uint8Array): string => new TextDecoder().decode(value);

/** The error of a request, or its answer. */
async function outcome(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    return error;
  }
}

/** Everything that a link promises to its two users (threads 3). */
export const LINK_CONTRACT: readonly ContractCase<LinkSubject>[] = [
  {
    name: 'events of every size arrive in order, with flags, in memory of their own',
    async holds({ main, thread, eventually }) {
      const seen: [number, number, number | undefined][] = [];
      thread.handle(EVENT, (body, { flags }) => {
        assert.ok(body.buffer instanceof ArrayBuffer);
        assert.ok(body.every(byte => byte === flags));
        seen.push([body.length, flags, body[0]]);
      });
      const sent: typeof seen = [];
      for (let round = 0; round < 9; round++) {
        for (const [index, size] of SIZES.entries()) {
          const body = filled(size, index);
          main.postAlways(EVENT, body, index);
          body.fill(99); // what the sender does afterwards does not matter
          sent.push([size, index, size === 0 ? undefined : index]);
        }
      }
      await eventually('all events arrived', () => seen.length === sent.length);
      assert.deepEqual(seen, sent);
    },
  },
  {
    name: 'both directions are independent of each other',
    async holds({ main, thread, eventually }) {
      const seen: string[] = [];
      main.handle(EVENT, body => void seen.push(`up ${body.length}`));
      thread.handle(EVENT, body => void seen.push(`down ${body.length}`));
      main.post(EVENT, filled(1, 0));
      thread.post(EVENT, filled(2, 0));
      await eventually('both arrived', () => seen.length === 2);
      assert.deepEqual(seen.sort(), ['down 1', 'up 2']);
    },
  },
  {
    name: 'a reply comes after the events that were sent before it',
    async holds({ main, thread }) {
      const seen: number[] = [];
      thread.handle(EVENT, body => void seen.push(body.length));
      main.handle(QUESTION, async body => {
        main.post(EVENT, filled(body.length, 1));
        await Promise.resolve();
        main.post(EVENT, filled(body.length + 1, 1));
        return bytes(`${body.length} bytes`);
      });
      const first = thread.request(QUESTION, filled(10, 0)).then(reply => [text(reply), ...seen.slice(0, 3)]);
      await thread.request(QUESTION, filled(20, 0));
      assert.deepEqual(await first, ['10 bytes', 10, 20, 11]);
      assert.deepEqual(seen, [10, 20, 11, 21]);
    },
  },
  {
    name: 'a call and its answer have one order with the records, whatever their size',
    async holds({ main, thread }) {
      const seen: unknown[] = [];
      main.handle(EVENT, body => void seen.push(body.length));
      thread.handle(EVENT, body => void seen.push(body.length));
      main.handleCall('twice', (argument: { readonly list: readonly number[] }) => {
        seen.push('called');
        main.post(EVENT, filled(70_000, 0));
        return argument.list.map(item => item * 2);
      });
      for (let n = 1; n <= 40; n++) thread.postAlways(EVENT, filled(2000 + n, 0));
      seen.push(await thread.call('twice', { list: [1, 2] }));
      assert.deepEqual(seen, [...Array.from({ length: 40 }, (_, n) => 2001 + n), 'called', 70_000, [2, 4]]);
    },
  },
  {
    name: 'errors with a row cross as what they are, others as a failure without their text',
    async holds({ main, thread }) {
      main.handle(QUESTION, body => {
        if (body.length === 0) throw new RangeError('too short');
        throw new TypeError('secret');
      });
      main.handleCall('fail', async () => Promise.reject(new RangeError('later')));
      for (const [answer, message] of [
        [thread.request(QUESTION, filled(0, 0)), 'too short'],
        [thread.call('fail'), 'later'],
      ] as const) {
        const error = await outcome(answer);
        assert.ok(error instanceof RangeError);
        assert.equal(error.message, message);
      }
      for (const answer of [thread.request(QUESTION, filled(1, 0)), thread.call('unknown')]) {
        const error = await outcome(answer);
        assert.ok(error instanceof LinkRequestFailed);
        assert.ok(!error.message.includes('secret'));
      }
    },
  },
  {
    name: 'an end that does not read costs the other a bounded amount; answers are never refused',
    async holds({ main, thread, eventually }) {
      const seen: number[] = [];
      let rooms = 0;
      main.onRoom(() => rooms++);
      main.handle(QUESTION, () => filled(1000, 7));
      thread.handle(EVENT, body => void seen.push(Buffer.from(body).readUInt32LE()));
      const body = Buffer.alloc(64 * KIB);
      const accepted: number[] = [];
      // Nothing is read in between: the loop does not turn.
      for (let n = 0; n < 1000; n++) {
        body.writeUInt32LE(n);
        if (main.post(EVENT, body)) accepted.push(n);
      }
      assert.ok(accepted.length < 1000);
      assert.ok(main.waitingBytes < 25 * KIB * KIB);
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => thread.request(QUESTION, filled(8, 0))),
      );
      assert.ok(replies.every(reply => reply.length === 1000));
      await eventually('what was accepted arrived', () => seen.length === accepted.length);
      await eventually('the writer was told of room', () => rooms === 1);
      assert.deepEqual(seen, accepted);
      assert.ok(main.post(EVENT, body));
      await eventually('events arrive again', () => seen.length === accepted.length + 1);
    },
  },
  {
    name: 'a request beyond the bound is refused at once, and one without an answer ends after 5 s',
    async holds({ main, thread, advance }) {
      main.handle(QUESTION, () => new Promise(() => {}));
      main.handleCall('never', () => new Promise(() => {}));
      const waiting = Array.from({ length: 4096 }, () => outcome(thread.request(QUESTION, filled(0, 0))));
      const call = outcome(thread.call('never'));
      assert.ok((await outcome(thread.request(QUESTION, filled(0, 0)))) instanceof LinkBusy);
      await advance(6000);
      for (const ended of [...waiting, call]) assert.ok((await ended) instanceof LinkTimeout);
    },
  },
  {
    name: 'closing an end ends what waits, and later requests are refused',
    async holds({ main, thread }) {
      main.handle(QUESTION, () => new Promise(() => {}));
      const waiting = outcome(thread.request(QUESTION, filled(0, 0)));
      const call = outcome(thread.call('never'));
      thread.close();
      for (const ended of [waiting, call]) assert.ok((await ended) instanceof LinkTimeout);
      assert.ok((await outcome(thread.request(QUESTION, filled(0, 0)))) instanceof LinkBusy);
      assert.equal(thread.post(EVENT, filled(0, 0)), false);
    },
  },
];
