import { Payload } from '@msg/engine';
import { defined } from '@msg/foundation/json';
import { chain, isPromise, type MaybePromise } from '@msg/foundation/promises';
import type { ChannelManager } from '../../channels/manager.ts';
import type { PublishAck, PublishPipeline } from '../../publishing/pipeline.ts';
import type { PublishExtras } from '../../publishing/publication.ts';
import { type ApiCall, NOTHING } from '../command.ts';
import { apiFailure, badRequest, errorText } from '../errors.ts';
import { bytesOf, flagOf, integerOf, type Members, textMapOf, textOf, textsOf } from '../members.ts';
import { fullName } from '../names.ts';
import type { ChannelOpener } from '../opening.ts';
import type { ApiCommands } from './rights.ts';

/** Most channels of a broadcast. */
const MAX_BROADCAST = 1000;
/** Publications of a broadcast that run in one turn of the event loop. */
const PUBLICATIONS_IN_TURN = 128;

export interface PublishCommandParts {
  readonly pipeline: Pick<PublishPipeline, 'callerOfSeveral' | 'publish' | 'publishForCaller' | 'takeRate'>;
  readonly channels: Pick<ChannelManager, 'peekState'>;
  readonly opener: ChannelOpener;
  readonly bareNames: string;
  /** Resolves in a later turn of the event loop. */
  readonly nextTurn: () => Promise<void>;
}

/** The commands that publish. */
export function publishCommands(parts: PublishCommandParts): Pick<ApiCommands, 'publish' | 'broadcast'> {
  const publisher = new ApiPublisher(parts);
  return {
    publish: (members, call) => chain(publisher.publish(members, call), resultText),
    broadcast: (members, call) => publisher.broadcast(members, call),
  };
}

class ApiPublisher {
  readonly #parts: PublishCommandParts;

  constructor(parts: PublishCommandParts) {
    this.#parts = parts;
  }

  publish(members: Members, call: ApiCall): MaybePromise<PublishAck> {
    const channel = fullName(textOf(members, 'channel'), this.#parts.bareNames);
    return this.#publishOne(call, channel, payloadOf(members), extrasOf(members));
  }

  /** A failure in one channel does not affect the others. The payload is classified and encoded once. */
  async broadcast(members: Members, call: ApiCall): Promise<string> {
    const names = textsOf(members, 'channels');
    if (names.length === 0 || names.length > MAX_BROADCAST)
      badRequest(`channels must hold 1 to ${MAX_BROADCAST} names`);
    const payload = payloadOf(members);
    const extras = extrasOf(members);
    const caller = this.#parts.pipeline.callerOfSeveral(call.caller, names.length);
    const broadcastCall = { ...call, caller };
    const responses: MaybePromise<string>[] = [];
    for (const [index, name] of names.entries()) {
      if (index > 0 && index % PUBLICATIONS_IN_TURN === 0) await this.#parts.nextTurn();
      responses.push(this.#respond(broadcastCall, name, payload, extras));
    }
    return `{"responses":[${(await Promise.all(responses)).join(',')}]}`;
  }

  #respond(call: ApiCall, name: string, payload: Payload, extras: PublishExtras): MaybePromise<string> {
    try {
      const ack = this.#publishOne(call, fullName(name, this.#parts.bareNames), payload, extras);
      return isPromise(ack) ? ack.then(responseText, failureText) : responseText(ack);
    } catch (error) {
      return failureText(error);
    }
  }

  #publishOne(
    call: ApiCall,
    channel: string,
    payload: Payload,
    extras: PublishExtras,
  ): MaybePromise<PublishAck> {
    const allowed = call.rights.require('publish', channel);
    if (isPromise(allowed)) return allowed.then(() => this.#publishAllowed(call, channel, payload, extras));
    return this.#publishAllowed(call, channel, payload, extras);
  }

  #publishAllowed(
    call: ApiCall,
    channel: string,
    payload: Payload,
    extras: PublishExtras,
  ): MaybePromise<PublishAck> {
    const { pipeline, opener, channels } = this.#parts;
    if (opener.isAutomatic && channels.peekState(channel) !== 'open')
      return this.#openAndPublish(call, channel, payload, extras);
    return pipeline.publishForCaller(call.caller, channel, payload, extras);
  }

  async #openAndPublish(
    call: ApiCall,
    channel: string,
    payload: Payload,
    extras: PublishExtras,
  ): Promise<PublishAck> {
    const { pipeline, opener } = this.#parts;
    await pipeline.takeRate(call.caller, channel);
    await opener.open(channel, call.rights);
    return pipeline.publish(channel, payload, extras);
  }
}

/** @throws MsgError MSG_INVALID_ARGUMENT without data. */
function payloadOf(members: Members): Payload {
  const data = bytesOf(members, 'data');
  if (data === undefined) return badRequest('data is required, or b64data in its place');
  return data.isPlainJson ? Payload.ofJson(data.bytes) : new Payload(data.bytes);
}

function extrasOf(members: Members): PublishExtras {
  return {
    ...defined({ tags: textMapOf(members, 'tags') }),
    idempotencyKey: textOf(members, 'idempotency_key'),
    skipHistory: flagOf(members, 'skip_history'),
    delta: flagOf(members, 'delta'),
    version: integerOf(members, 'version'),
    versionEpoch: textOf(members, 'version_epoch'),
  };
}

function resultText({ offset, epoch }: PublishAck): string {
  if (offset === 0 && epoch === '') return NOTHING;
  return `{"offset":${offset},"epoch":${JSON.stringify(epoch)}}`;
}

function responseText(ack: PublishAck): string {
  return `{"result":${resultText(ack)}}`;
}

function failureText(error: unknown): string {
  return `{"error":${errorText(apiFailure(error).code)}}`;
}
