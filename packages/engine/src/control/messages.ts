import { defined, isRecord } from '@msg/foundation/json';
import { disconnectReconnects } from '@msg/protocol';
import type { ControlCommand as ControlMessage } from '@msg/protocol/internal';
import type { ConnectionSelector, ControlCommand } from './contract.ts';

/**
 * Notifications for what the reference's messages have no field for: how a subscription recovers, and whether the client
 * refreshes. They are JSON; byte arrays are `{"base64": …}`.
 */
const SUBSCRIBE = 'subscribe';
const REFRESH = 'refresh';

type Body = Partial<ControlMessage>;

function wireTarget({ user, client = '', session = '', allUsers = false }: ConnectionSelector) {
  return { labelFilter: null, user: user ?? '', client, session, allUsers: allUsers || user === undefined };
}

function readTarget(target: {
  user: string;
  client: string;
  session: string;
  allUsers: boolean;
}): ConnectionSelector {
  const { user, client, session, allUsers } = target;
  return defined({
    allUsers: allUsers || undefined,
    user: allUsers && user === '' ? undefined : user,
    client: client === '' ? undefined : client,
    session: session === '' ? undefined : session,
  });
}

/** The members of the control message for a command (client protocol 17). */
export function toMessage(command: ControlCommand): Body {
  switch (command.kind) {
    case 'unsubscribe': {
      const { channel, unsubscribe, target } = command;
      const { code, reason } = unsubscribe;
      return { unsubscribe: { ...wireTarget(target), channel, code, reason } };
    }
    case 'disconnect': {
      const { code, reason, except, target } = command;
      const reconnect = disconnectReconnects(code);
      return { disconnect: { ...wireTarget(target), code, reason, whitelist: except, reconnect } };
    }
    case 'subscribe':
    case 'refresh': {
      const op = command.kind === 'subscribe' ? SUBSCRIBE : REFRESH;
      return { notification: { op, data: Buffer.from(JSON.stringify(command, bytesAsText)) } };
    }
  }
}

/** The command of a control message; null for a message without one. @throws SyntaxError */
export function toCommand({ unsubscribe, disconnect, notification }: ControlMessage): ControlCommand | null {
  if (unsubscribe !== null) {
    const { channel, code, reason } = unsubscribe;
    return { kind: 'unsubscribe', target: readTarget(unsubscribe), channel, unsubscribe: { code, reason } };
  }
  if (disconnect !== null) {
    const { code, reason, whitelist } = disconnect;
    return { kind: 'disconnect', target: readTarget(disconnect), code, reason, except: [...whitelist] };
  }
  if (notification === null || notification.data === null) return null;
  if (notification.op !== SUBSCRIBE && notification.op !== REFRESH) return null;
  return JSON.parse(Buffer.from(notification.data).toString(), textAsBytes) as ControlCommand;
}

function bytesAsText(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const original = this[key]; // `value` is what Buffer.toJSON returned
  return original instanceof Uint8Array ? { base64: Buffer.from(original).toString('base64') } : value;
}

function textAsBytes(_key: string, value: unknown): unknown {
  if (!isRecord(value) || !('base64' in value)) return value;
  const { base64 } = value;
  return typeof base64 === 'string' ? new Uint8Array(Buffer.from(base64, 'base64')) : value;
}
