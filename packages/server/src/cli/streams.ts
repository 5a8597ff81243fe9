import { defaultFlag, switchFlag } from '@msg/command-line';
import { METHODS } from '@msg/core';
import { type MsgCommand, rpcCommand } from './command.ts';

const NAME = { name: 'name', help: 'a channel with append streams' };
const MESSAGE = { name: 'message', help: 'id of a message; absent: the open one', optional: true };

const get = rpcCommand({
  name: 'streams get',
  args: [NAME, { ...MESSAGE, help: 'id of a message; absent: the open one, else the newest' }],
  summary: 'where a message of an append stream is: status, producer, numbers, size',
  method: 'AppendState',
  settings: { document: switchFlag('--document', 'add the document, in base64; viewers do not see it') },
  examples: [{ line: 'streams get public:shop.log', help: 'does it still grow?' }],
  async action(call, { args: [name = '', message = ''], settings: { document } }) {
    const answer = await call({ name, message, with_document: document });
    return { kind: 'msg.stream', payload: METHODS.AppendState.response.write(answer) as object }; // its JSON form
  },
});

const cancel = rpcCommand({
  name: 'streams cancel',
  args: [NAME, MESSAGE],
  summary: 'ask the producer of a message to stop; after 5 s the service ends it',
  method: 'AppendCancel',
  settings: {
    input: defaultFlag(
      '--input',
      'text',
      '',
      'the message that answers this input, also one that opens later',
    ),
    reason: defaultFlag('--reason', 'text', '', 'why, for the producer'),
  },
  examples: [{ line: 'streams cancel public:shop.log', help: 'whatever is open' }],
  async action(call, { args: [name = '', message = ''], settings: { input, reason } }) {
    return { kind: 'msg.stream.cancelled', payload: await call({ name, message, input, reason }) };
  },
});

/** The group `streams`. */
export const streamCommands: readonly MsgCommand[] = [get, cancel];
