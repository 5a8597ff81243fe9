import {
  type CommandEnvelope,
  type Init,
  Payload,
  type Publication,
  type Push,
  protobufCodec,
  type Reply,
  type SubscribeResult,
} from '@msg/protocol';
import type { ClientCommand, ReceivedPublication, ServerMessage, SubscribeAnswer } from './link.ts';

/** How a client writes commands and reads what comes back. */
export interface Wire {
  encode(commands: readonly ClientCommand[]): Uint8Array;
  decode(frame: Uint8Array): ServerMessage[];
}

/** Members of JSON messages that matter here; absent members are zero (client protocol 2.1). */
interface JsonPublication {
  readonly data?: unknown;
  readonly offset?: number;
  readonly delta?: boolean;
}
interface JsonReply {
  readonly id?: number;
  readonly error?: { readonly code: number };
  readonly subscribe?: {
    readonly positioned?: boolean;
    readonly recoverable?: boolean;
    readonly recovered?: boolean;
    readonly was_recovering?: boolean;
    readonly epoch?: string;
    readonly offset?: number;
    readonly publications?: readonly JsonPublication[];
    readonly delta?: boolean;
    readonly id?: number;
  };
  readonly push?: {
    readonly id?: number;
    readonly channel?: string;
    readonly pub?: JsonPublication;
    readonly unsubscribe?: { readonly code: number };
  };
}

/** JSON written and read with nothing but the language's own means. */
export const jsonWire: Wire = {
  encode: commands => Buffer.from(commands.map(command => JSON.stringify(jsonCommand(command))).join('\n')),
  decode: frame =>
    Buffer.from(frame)
      .toString()
      .split('\n')
      // What comes from the server is trusted to have the shape of the protocol; a wrong value fails the model.
      .map(line => fromJson(JSON.parse(line) as JsonReply)),
};

function jsonCommand(command: ClientCommand): object {
  switch (command.kind) {
    case 'connect':
      return { id: command.id, connect: { token: command.token } };
    case 'subscribe': {
      const { id, kind, delta, ...request } = command;
      return { id, [kind]: { ...request, delta: delta ? 'fossil' : '', join_leave: true } };
    }
    case 'unsubscribe':
      return { id: command.id, unsubscribe: { channel: command.channel } };
    case 'publish':
      return { id: command.id, publish: { channel: command.channel, data: JSON.parse(command.text) } };
  }
}

function fromJson({ id = 0, error, subscribe, push }: JsonReply): ServerMessage {
  if (push === undefined) {
    const answer: SubscribeAnswer | null =
      subscribe === undefined
        ? null
        : {
            positioned: subscribe.positioned ?? false,
            recoverable: subscribe.recoverable ?? false,
            recovered: subscribe.recovered ?? false,
            wasRecovering: subscribe.was_recovering ?? false,
            epoch: subscribe.epoch ?? '',
            offset: subscribe.offset ?? 0,
            publications: (subscribe.publications ?? []).map(jsonPublication),
            delta: subscribe.delta ?? false,
            channelId: subscribe.id ?? 0,
          };
    return { kind: 'reply', id, error: error?.code ?? 0, answer };
  }
  const { id: channelId = 0, channel = '', pub, unsubscribe } = push;
  if (pub !== undefined)
    return { kind: 'publication', channel, channelId, publication: jsonPublication(pub) };
  if (unsubscribe !== undefined) return { kind: 'unsubscribed', channel, code: unsubscribe.code };
  return { kind: 'announcement', channel, channelId };
}

function jsonPublication({ data, offset = 0, delta = false }: JsonPublication): ReceivedPublication {
  const quoted = typeof data === 'string';
  return { offset, delta, quoted, bytes: Buffer.from(quoted ? data : JSON.stringify(data)) };
}

/** Protobuf by the protocol package's own client side. */
export const protobufWire: Wire = {
  encode: commands =>
    protobufCodec.join(commands.map(command => protobufCodec.encodeCommand(protobufCommand(command)))),
  decode(frame) {
    const messages: ServerMessage[] = [];
    const reader = protobufCodec.replies(frame);
    for (let reply = reader.next(); reply !== null; reply = reader.next()) messages.push(fromReply(reply));
    return messages;
  },
};

function protobufCommand(command: ClientCommand): Init<CommandEnvelope> {
  switch (command.kind) {
    case 'connect':
      return { id: command.id, connect: { token: command.token } };
    case 'subscribe':
      return { id: command.id, subscribe: subscribeRequest(command) };
    case 'unsubscribe':
      return { id: command.id, unsubscribe: { channel: command.channel } };
    case 'publish': {
      const { id, channel, text } = command;
      return { id, publish: { channel, data: new Payload(Buffer.from(text)) } };
    }
  }
}

/** A subscribe request in the protocol package's words. */
export function subscribeRequest({
  channel,
  recover,
  epoch,
  offset,
  delta,
  flag,
}: Extract<ClientCommand, { kind: 'subscribe' }>) {
  return { channel, recover, epoch, offset, delta: delta ? 'fossil' : '', flag, joinLeave: true };
}

function fromReply({ id, error, subscribe, push }: Reply): ServerMessage {
  if (push !== null) return fromPush(push);
  return {
    kind: 'reply',
    id,
    error: error?.code ?? 0,
    answer: subscribe === null ? null : fromResult(subscribe),
  };
}

export function fromResult(result: SubscribeResult): SubscribeAnswer {
  const { id, publications } = result;
  return { ...result, channelId: id, publications: publications.map(received) };
}

export function fromPush({ id: channelId, channel, pub, unsubscribe }: Push): ServerMessage {
  if (pub !== null) return { kind: 'publication', channel, channelId, publication: received(pub) };
  if (unsubscribe !== null) return { kind: 'unsubscribed', channel, code: unsubscribe.code };
  return { kind: 'announcement', channel, channelId };
}

function received({ offset, delta, data }: Publication): ReceivedPublication {
  return { offset, delta, quoted: null, bytes: data.bytes };
}
