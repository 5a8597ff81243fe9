import { defined } from '@msg/foundation/json';
import type { Hub } from '../delivery/hub.ts';
import { Disconnect } from '../errors.ts';
import type { SessionRegistry } from '../session/registry.ts';
import { subscribeFromServer } from '../session/server-side.ts';
import type { Session } from '../session/session.ts';
import type { ConnectionSelector, ControlCommand } from './contract.ts';

/** Executes a command on the connections of this node. */
export async function executeLocally(
  hub: Hub,
  sessions: SessionRegistry<Session>,
  command: ControlCommand,
): Promise<void> {
  if (command.kind === 'unsubscribe' && command.target.allUsers === true && command.channel !== '') {
    // The hub has the channel's subscribers: no walk over all connections is needed.
    for (const subscriber of [...hub.subscribersAndPending(command.channel)]) {
      subscriber.endWhenLive(command.unsubscribe);
    }
    return;
  }
  const targets = [...targeted(sessions, command.target)];
  switch (command.kind) {
    case 'unsubscribe':
      for (const { subscriptions } of targets) {
        const channels =
          command.channel === '' ? [...subscriptions].map(({ channel }) => channel) : [command.channel];
        for (const channel of channels) subscriptions.endWhenLive(channel, command.unsubscribe);
      }
      return;
    case 'disconnect':
      for (const session of targets) {
        if (!command.except.includes(session.connection.id))
          session.close(new Disconnect(command.code, command.reason));
      }
      return;
    case 'subscribe': {
      const { channel, decision, since } = command;
      await Promise.all(targets.map(session => subscribeFromServer(session, channel, decision, since)));
      return;
    }
    case 'refresh':
      for (const session of targets) {
        session.refreshed(defined({ expiry: command.expiry ?? undefined, info: command.info ?? undefined }));
      }
  }
}

function* targeted(sessions: SessionRegistry<Session>, selector: ConnectionSelector): Iterable<Session> {
  const { user, client, session: secret, allUsers = false } = selector;
  for (const session of candidates(sessions, selector)) {
    if (session.connection.phase !== 'connected') continue;
    if (client !== undefined && session.connection.id !== client) continue;
    if (secret !== undefined && session.emulationSecret !== secret) continue;
    if (allUsers || user === undefined || session.connection.user === user) yield session;
  }
}

/** The smallest set that contains every selected session. */
function candidates(
  sessions: SessionRegistry<Session>,
  { user, client, session: secret }: ConnectionSelector,
): Iterable<Session> {
  if (client !== undefined || secret !== undefined) {
    const session = client === undefined ? sessions.emulated(secret ?? '') : sessions.get(client);
    return session === undefined ? [] : [session];
  }
  return user === undefined || user === '' ? sessions : sessions.ofUser(user);
}
