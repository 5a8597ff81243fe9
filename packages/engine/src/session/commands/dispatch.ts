import type { Command } from '@msg/protocol';
import { disconnect } from '../../errors.ts';
import type { Session } from '../session.ts';
import { connect } from './connect.ts';
import { history } from './history.ts';
import { presence, presenceStats } from './presence.ts';
import { publish } from './publish.ts';
import { refresh, subRefresh } from './refresh.ts';
import { rpc, send } from './rpc.ts';
import { subscribe, unsubscribe } from './subscribe.ts';

/**
 * Executes one command (client protocol 7). Answers a promise while it waits; throws or rejects with
 * `ReplyError` for an error reply, with `Disconnect` to end the connection.
 */
export function dispatch(session: Session, command: Command): Promise<void> | undefined {
  if (command.kind === 'connect') return connect(session, command.id, command.request);
  if (session.phase !== 'connected') throw disconnect.badRequest();
  if (command.kind === 'send') {
    send(session, command.request);
    return undefined;
  }
  if (command.id === 0) throw disconnect.badRequest();
  switch (command.kind) {
    case 'subscribe':
      return subscribe(session, command.id, command.request);
    case 'unsubscribe':
      return unsubscribe(session, command.id, command.request);
    case 'publish':
      return publish(session, command.id, command.request);
    case 'history':
      return history(session, command.id, command.request);
    case 'rpc':
      return rpc(session, command.id, command.request);
    case 'presence':
      return presence(session, command.id, command.request);
    case 'presence_stats':
      return presenceStats(session, command.id, command.request);
    case 'refresh':
      return refresh(session, command.id, command.request);
    case 'sub_refresh':
      return subRefresh(session, command.id, command.request);
    case 'ping':
    case 'none':
      throw disconnect.badRequest();
  }
}
