import type { Session } from '../session.ts';
import { type CommandTable, commandRow } from './command-row.ts';
import { connect } from './connect.ts';
import { history } from './history.ts';
import { presence, presenceStats } from './presence.ts';
import { publish } from './publish.ts';
import { refresh, subRefresh } from './refresh.ts';
import { rpc, send } from './rpc.ts';
import { subscribe, unsubscribe } from './subscribe.ts';

const FIRST = { connected: false, id: true, channel: false };
const MESSAGE = { connected: true, id: false, channel: false };
const CALL = { connected: true, id: true, channel: false };
const CHANNEL_CALL = { connected: true, id: true, channel: true };

/** The commands of the client protocol. A kind without a row ends the connection (3501). */
export const COMMANDS: CommandTable<Session> = {
  connect: commandRow({ needs: FIRST, run: connect }),
  subscribe: commandRow({ needs: CHANNEL_CALL, hook: 'subscribe', run: subscribe }),
  unsubscribe: commandRow({ needs: CHANNEL_CALL, run: unsubscribe }),
  publish: commandRow({ needs: CHANNEL_CALL, hook: 'publish', run: publish }),
  presence: commandRow({ needs: CHANNEL_CALL, hook: 'presence', run: presence }),
  presence_stats: commandRow({ needs: CHANNEL_CALL, hook: 'presenceStats', run: presenceStats }),
  history: commandRow({ needs: CHANNEL_CALL, hook: 'history', run: history }),
  rpc: commandRow({ needs: CALL, hook: 'rpc', run: rpc }),
  send: commandRow({ needs: MESSAGE, hook: 'message', run: send }),
  refresh: commandRow({ needs: CALL, hook: 'refresh', run: refresh }),
  // It checks its hook after the subscription: a client without a subscription gets error 103.
  sub_refresh: commandRow({ needs: CHANNEL_CALL, run: subRefresh }),
};
