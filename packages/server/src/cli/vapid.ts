import { generateVapidKeys } from '../notify/sinks/webpush/vapid.ts';
import { localCommand, type MsgCommand, printResult } from './command.ts';

/** `vapid …`. */
export const vapidCommands: readonly MsgCommand[] = [
  localCommand({
    name: 'vapid generate',
    summary: 'make the keys with which a Web Push sink says who it is',
    detail:
      'The private key belongs into `vapid_private_key` of the sink, or into the file that `vapid_key_file` names; the ' +
      'public one into the pages. Subscriptions hold for one pair: keep it.',
    settings: {},
    examples: [{ line: 'vapid generate', help: 'once for each deployment' }],
    async run({ io }) {
      const { publicKey, privateKey } = generateVapidKeys();
      printResult(io, {
        kind: 'msg.vapid.generated',
        payload: { public_key: publicKey, private_key: privateKey },
      });
    },
  }),
];
