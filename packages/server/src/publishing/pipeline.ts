import type { Client, ForwardPublish, Payload, PublishEvent, PublishResult } from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import { isPromise, type MaybePromise, runSteps } from '@msg/foundation/promises';
import type { VerifiedToken } from '../auth/tokens/claims.ts';
import type { ChannelOptionRules } from '../channels/channel-options.ts';
import type { ChannelManager } from '../channels/manager.ts';
import type { Tracing } from '../observability/tracing/contract.ts';
import { brokerFailed } from './broker-failure.ts';
import { type GateParts, type Gates, gatesOf } from './gates.ts';
import type { OutboxVersions } from './outbox-versions.ts';
import {
  ClientPublication,
  type Publication,
  type PublishCaller,
  type PublishExtras,
  type PublishNode,
  ServerPublication,
} from './publication.ts';
import { requirePayload } from './publication-rules.ts';
import { publishSpan } from './publish-span.ts';

/** Position of a publication in its channel; offset 0 and an empty epoch where history is off. */
export interface PublishAck {
  readonly offset: number;
  readonly epoch: string;
  /**
   * Nothing was published: the idempotency key was used, or the version is not newer; the position is the earlier one.
   */
  readonly suppressed: boolean;
}

export interface PublishPipelineOptions extends GateParts {
  /** Returns the node, which exists only after its policy, and the policy publishes too. */
  readonly node: () => PublishNode;
  readonly channels: GateParts['channels'] & Pick<ChannelManager, 'noteActivity'>;
  readonly options: ChannelOptionRules;
  /** The broker answers later, and carries publications out in the order in which they are sent. */
  readonly sendsInOrder: boolean;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly outboxVersions: Pick<OutboxVersions, 'note'>;
  /** Absent: tracing is off. */
  readonly tracing?: Tracing;
  /** Called after each publish. */
  readonly onEnd: (channel: string, ok: boolean, seconds: number) => void;
  /** Called when the activity of a successful publish could not be recorded. */
  readonly onError: (error: unknown) => void;
}

type Steps<P> = readonly ((publication: P) => MaybePromise<unknown>)[];

const NO_EXTRAS: PublishExtras = {};

/**
 * The one way of a publication into its channel: gates in the order of the caller's row, broker, activity, with metrics
 * and span around them. This is the busiest path of the service: with all stores in this process it makes no promise.
 *
 * Publishing throws, or rejects with, MsgError: MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED,
 * MSG_RATE_LIMITED, MSG_AUTH_DENIED, MSG_AUTH_EXPIRED, MSG_INVALID_ARGUMENT when the data do not fit the channel's schema
 * or its option `payload`, or for the tag `msg-encoding`, MSG_BROKER_NOT_READY, MSG_BROKER_INTERNAL.
 */
export class PublishPipeline {
  readonly #options: PublishPipelineOptions;
  readonly #gates: Gates;
  /** The rows of "A publication" in ARCHITECTURE.md. */
  readonly #steps: {
    /** Also for the RPC, after its rate limit. */
    readonly service: Steps<ServerPublication>;
    readonly client: Steps<ClientPublication>;
  };

  constructor(options: PublishPipelineOptions) {
    this.#options = options;
    const gates = gatesOf(options);
    this.#gates = gates;
    const send = (publication: Publication) => this.#send(publication);
    const note = ({ channel }: Publication) => this.#noteActivity(channel);
    this.#steps = {
      service: [gates.openChannel, gates.schema, send, note],
      client: [
        gates.clientState,
        gates.clientRate,
        gates.clientGrant,
        gates.clientOpening,
        gates.schema,
        send,
        // The reply to a client does not wait for the activity.
        publication => void note(publication),
      ],
    };
  }

  /**
   * Publishes for the embedding application and for the service itself. `onSent` is called when a publication that is sent
   * from now on comes after this one, though this one is not answered.
   */
  publish(
    channel: string,
    data: Uint8Array | Payload,
    extras: PublishExtras = NO_EXTRAS,
    onSent?: () => void,
  ): MaybePromise<PublishAck> {
    this.#options.outboxVersions.note(channel, extras);
    const publication = new ServerPublication(this.#options.node(), channel, data, extras, onSent);
    const done = this.#run(this.#steps.service, publication);
    return isPromise(done) ? done.then(() => ackOf(publication)) : ackOf(publication);
  }

  /** Publishes for a caller of the RPC. A rate-limited call is neither counted nor traced as a publish. */
  publishForCaller(
    caller: PublishCaller,
    channel: string,
    data: Uint8Array | Payload,
    extras: PublishExtras,
    onSent?: () => void,
  ): MaybePromise<PublishAck> {
    const turn = this.takeRate(caller, channel);
    return isPromise(turn)
      ? turn.then(() => this.publish(channel, data, extras, onSent))
      : this.publish(channel, data, extras, onSent);
  }

  /** Publishes what a client sent. `token` is that of its subscription to the channel, else of its connection. */
  publishForClient(
    client: Client,
    token: VerifiedToken | null,
    event: PublishEvent,
    forward: ForwardPublish,
  ): MaybePromise<unknown> {
    return this.#run(this.#steps.client, new ClientPublication(client, token, event, forward));
  }

  /** The caller of a request with `count` publications: one decision takes the permits of all of them. */
  callerOfSeveral(caller: PublishCaller, count: number): PublishCaller {
    return count < 2 || caller.permits !== undefined ? caller : this.#gates.callerOfSeveral(caller, count);
  }

  /** The rate limit of an RPC publish, also for a call that may use a sink instead. */
  takeRate(caller: PublishCaller, channel: string): MaybePromise<void> {
    return this.#gates.callerRate(caller, channel);
  }

  #run<P extends Publication>(steps: Steps<P>, publication: P): MaybePromise<void> {
    const { tracing } = this.#options;
    if (tracing === undefined) return this.#timed(steps, publication);
    return tracing.span(publishSpan(publication), async () => this.#timed(steps, publication));
  }

  #timed<P extends Publication>(steps: Steps<P>, publication: P): MaybePromise<void> {
    const start = this.#options.clock.monotonic();
    try {
      const done = runSteps(steps, publication);
      if (isPromise(done)) return this.#timeRest(done, publication, start);
    } catch (error) {
      this.#end(publication, false, start);
      throw error;
    }
    this.#end(publication, true, start);
  }

  async #timeRest(done: Promise<void>, publication: Publication, start: number): Promise<void> {
    try {
      await done;
    } catch (error) {
      this.#end(publication, false, start);
      throw error;
    }
    this.#end(publication, true, start);
  }

  #end({ channel }: Publication, ok: boolean, start: number): void {
    this.#options.onEnd(channel, ok, (this.#options.clock.monotonic() - start) / 1000);
  }

  #send(publication: Publication): MaybePromise<void> {
    const { channel, payload } = publication;
    const channelOptions = this.#options.options.of(channel);
    requirePayload(channel, channelOptions, payload);
    try {
      const result = publication.send(channelOptions);
      if (isPromise(result)) {
        if (this.#options.sendsInOrder && 'onSent' in publication) publication.onSent?.();
        return sent(publication, result);
      }
      publication.result = result;
    } catch (cause) {
      refused(cause);
    }
  }

  /**
   * Records the activity. The publication is already delivered: a closed or deleted channel, or a failing store, does not
   * undo it.
   */
  #noteActivity(channel: string): MaybePromise<unknown> {
    try {
      const noted = this.#options.channels.noteActivity(channel);
      return isPromise(noted) ? noted.catch(this.#options.onError) : undefined;
    } catch (error) {
      this.#options.onError(error);
      return undefined;
    }
  }
}

function ackOf({ result }: ServerPublication): PublishAck {
  return {
    offset: result?.offset ?? 0,
    epoch: result?.epoch ?? '',
    suppressed: result?.suppressed ?? false,
  };
}

async function sent(publication: Publication, result: Promise<PublishResult>): Promise<void> {
  publication.result = await result.catch(refused);
}

const refused = brokerFailed('the broker refused the publication');
