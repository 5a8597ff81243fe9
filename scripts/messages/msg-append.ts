import type { MsgCode } from '@msg/core';
import type { Msg } from '@msg/server';
import type { Provocations } from './provocation.ts';

const ROOM = 'public:shop.chat.1';
const LOG = 'public:shop.chat.2';

type AppendCode = Extract<MsgCode, `MSG_APPEND_${string}`>;

/** Options of a service with append streams. */
export const APPENDING = {
  rules: [{ pattern: 'public:shop.chat.*', append: true, appendWindowMs: 0, appendMaxBytes: 4096 }],
  open: [{ pattern: 'public:shop.chat.*' }],
};

/** The calls about append streams that end in each of their codes. */
export async function appendProvocations(
  msg: Msg,
  callRpc: (method: string, body: object) => Promise<unknown>,
): Promise<Pick<Provocations<MsgCode>, AppendCode>> {
  const open = { name: ROOM, message: 'm1', producer: 'p1' };
  await callRpc('Append', { ...open, seq: 1, text: 'Hello' });
  const ended = await msg.appendStream(LOG, { message: 'm2' });
  await ended.complete();
  const append = (request: object) => () => callRpc('Append', { ...open, ...request });
  return {
    MSG_APPEND_NOT_FOUND: [
      {
        when: 'a message that was never opened',
        call: append({ message: 'm3', seq: 2, text: 'x' }),
      },
      { when: 'a cancel of a message that is not there', call: () => callRpc('AppendCancel', { name: LOG }) },
    ],
    MSG_APPEND_GAP: [{ when: 'operation 5 after operation 1', call: append({ seq: 5, text: 'x' }) }],
    MSG_APPEND_CLOSED: [
      { when: 'more for a message that has ended', call: () => ended.write('x') },
      { when: 'a message that has ended, taken over', call: () => msg.resumeStream(LOG, 'm2') },
    ],
    MSG_APPEND_BUSY: [
      { when: 'a second message in the channel', call: () => msg.appendStream(ROOM, { message: 'm4' }) },
    ],
    MSG_APPEND_FENCED: [{ when: 'another producer', call: append({ producer: 'p2', seq: 2, text: 'x' }) }],
    MSG_APPEND_TOO_LARGE: [
      { when: 'a text beyond the size of a message', call: append({ seq: 2, text: 'x'.repeat(5000) }) },
    ],
  };
}
