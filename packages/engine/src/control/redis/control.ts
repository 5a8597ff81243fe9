import type { Clock, TimerHandle } from '@msg/foundation/clock';
import {
  decodeControl,
  encodeControl,
  type ControlCommand as Message,
  type SurveyRequest,
} from '@msg/protocol/internal';
import type { RedisStore, Subscriptions } from '@msg/redis';
import type { Control, ControlCommand, ControlHandler, SurveyAnswer } from '../contract.ts';
import { toCommand, toMessage } from '../messages.ts';
import { processOf } from '../thread-ids.ts';
import { Surveys } from './surveys.ts';

/** Client protocol 17: how often a node announces itself, and how long a silent node counts as live. */
const INTRODUCE_MS = 3000;
const UNSEEN_MS = 7000;
/** Code of a survey answer whose handler failed. */
const FAILED = 500;
const NO_DATA = new Uint8Array(0);
/** The answer of a thread that is not there, and of a node of which a thread was asked. */
const UNASKED: SurveyAnswer = { code: 404, data: NO_DATA };

/** Options of the control bus on Redis. */
export interface RedisControlOptions {
  readonly store: RedisStore;
  readonly prefix: string;
  readonly clock: Clock;
  /** Called for each message that cannot be decoded and each answer that cannot be sent. */
  readonly onError: (error: unknown) => void;
}

/** Messages between nodes through PUB/SUB (client protocol 17). */
export class RedisControl implements Control {
  readonly reachesThreads = true;
  readonly #store: RedisStore;
  readonly #prefix: string;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #surveys: Surveys;
  /** When each other node last sent a message, monotonic milliseconds. */
  readonly #seen = new Map<string, number>();
  #nodeId = '';
  #startedAt = 0;
  #handler: ControlHandler | null = null;
  #subscriptions: Subscriptions | null = null;
  #timer: TimerHandle | null = null;

  constructor({ store, prefix, clock, onError }: RedisControlOptions) {
    this.#store = store;
    this.#prefix = prefix;
    this.#clock = clock;
    this.#onError = onError;
    this.#surveys = new Surveys(clock);
  }

  /** False while the PUB/SUB connection is known to be down. */
  get delivering(): boolean {
    return this.#subscriptions?.up === true;
  }

  async start(nodeId: string, handler: ControlHandler): Promise<void> {
    this.#nodeId = nodeId;
    this.#handler = handler;
    this.#startedAt = this.#clock.monotonic();
    this.#subscriptions = this.#store.subscriptions(`${this.#prefix}.shard.control`, {
      message: (_channel, bytes) => this.#received(bytes),
      restored: () => this.#introduce(),
    });
    await this.#subscriptions.start();
    await Promise.all([
      this.#subscriptions.subscribe(this.#everybody),
      this.#subscriptions.subscribe(this.#channelOf(nodeId)),
    ]);
    this.#beat();
  }

  async stop(): Promise<void> {
    if (this.#handler === null) return;
    this.#handler = null;
    if (this.#timer !== null) this.#clock.clearTimeout(this.#timer);
    this.#surveys.endAll();
    await this.#send(this.#everybody, { shutdown: {} }).catch(() => {}); // the other nodes time this one out
    this.#subscriptions?.close();
    this.#seen.clear();
  }

  nodes(): readonly string[] {
    return this.#handler === null ? [] : [this.#nodeId, ...this.#seen.keys()];
  }

  async broadcast(command: ControlCommand): Promise<void> {
    await this.#send(this.#everybody, toMessage(command));
  }

  async survey(
    operation: string,
    data: Uint8Array,
    toNode?: string,
    withinMs?: number,
  ): Promise<ReadonlyMap<string, SurveyAnswer>> {
    const asked = toNode === undefined ? undefined : processOf(toNode);
    const others = [...this.#seen.keys()].filter(id => asked === undefined || id === asked);
    const { id, answers } = this.#surveys.begin(others, withinMs);
    if (others.length > 0) {
      const channel = asked === undefined ? this.#everybody : this.#channelOf(asked);
      const node = toNode === asked ? '' : (toNode ?? '');
      try {
        await this.#send(channel, { surveyRequest: { id, op: operation, data, node } });
      } catch (error) {
        this.#surveys.end(id);
        throw error;
      }
    }
    const asksThis = this.#handler !== null && (toNode === undefined || toNode === this.#nodeId);
    const [local, theirs] = await Promise.all([asksThis ? this.#answer(operation, data) : null, answers]);
    if (toNode !== undefined && toNode !== asked) theirs.delete(asked ?? '');
    return local === null ? theirs : theirs.set(this.#nodeId, local);
  }

  get #everybody(): string {
    return `${this.#prefix}.control`;
  }

  #channelOf(nodeId: string): string {
    return `${this.#prefix}.node.${nodeId}`;
  }

  async #send(channel: string, members: Partial<Message>): Promise<void> {
    await this.#store.publish(channel, encodeControl({ ...members, uid: this.#nodeId }));
  }

  async #answer(operation: string, data: Uint8Array): Promise<SurveyAnswer> {
    const handler = this.#handler;
    if (handler === null) return { code: FAILED, data: NO_DATA };
    try {
      return await handler.survey(operation, data);
    } catch (error) {
      this.#onError(error);
      return { code: FAILED, data: NO_DATA };
    }
  }

  #received(bytes: Uint8Array): void {
    try {
      const message = decodeControl(bytes);
      if (message.uid !== this.#nodeId && this.#handler !== null) this.#take(message);
    } catch (error) {
      this.#onError(error);
    }
  }

  #take(message: Message): void {
    const { uid, node, shutdown, surveyRequest, surveyResponse, threadAnswer } = message;
    if (shutdown !== null) {
      this.#forget(uid);
    } else if (node !== null) {
      this.#onNodeSeen(uid);
    } else if (surveyRequest !== null) {
      void this.#reply(uid, surveyRequest);
    } else if (surveyResponse !== null) {
      const { id, code, data } = surveyResponse;
      this.#surveys.answered(id, uid, { code, data: data ?? NO_DATA });
    } else if (threadAnswer !== null) {
      const { id, node: thread, code, data } = threadAnswer;
      this.#surveys.answeredBeside(id, uid, thread, { code, data: data ?? NO_DATA });
    } else {
      const command = toCommand(message);
      if (command !== null) this.#handler?.execute(command);
    }
  }

  /** The answers of threads go first: with its own the survey has that of this node. */
  async #reply(uid: string, { id, op, data, node: thread }: SurveyRequest): Promise<void> {
    const channel = this.#channelOf(uid);
    const answers = new Map(await this.#answers(op, data ?? NO_DATA, thread));
    const answer = answers.get(this.#nodeId) ?? UNASKED;
    answers.delete(this.#nodeId);
    try {
      for (const [node, threadAnswer] of answers)
        await this.#send(channel, { threadAnswer: { id, node, ...threadAnswer } });
      await this.#send(channel, { surveyResponse: { id, ...answer } });
    } catch (error) {
      this.#onError(error);
    }
  }

  async #answers(
    operation: string,
    data: Uint8Array,
    thread: string,
  ): Promise<ReadonlyMap<string, SurveyAnswer>> {
    const handler = this.#handler;
    if (handler?.surveyThreads !== undefined)
      return handler.surveyThreads(operation, data, thread === '' ? undefined : thread);
    const [id, answer] =
      thread === '' ? [this.#nodeId, await this.#answer(operation, data)] : [thread, UNASKED];
    return new Map([[id, answer]]);
  }

  /** Records that a node is live. A node that is new here gets this node's announcement at once. */
  #onNodeSeen(uid: string): void {
    const isNew = !this.#seen.has(uid);
    if (isNew) this.#introduce(this.#channelOf(uid));
    this.#seen.set(uid, this.#clock.monotonic());
    if (isNew) this.#handler?.nodesChanged?.();
  }

  #forget(uid: string): void {
    if (this.#seen.delete(uid)) this.#handler?.nodesChanged?.();
    this.#surveys.forget(uid);
  }

  #beat(): void {
    this.#introduce();
    const oldest = this.#clock.monotonic() - UNSEEN_MS;
    for (const [uid, at] of this.#seen) if (at < oldest) this.#forget(uid);
    this.#timer = this.#clock.setTimeout(() => this.#beat(), INTRODUCE_MS);
  }

  #introduce(channel: string = this.#everybody): void {
    const node = {
      uid: this.#nodeId,
      name: this.#nodeId,
      version: this.#handler?.version ?? '',
      numClients: 0,
      numUsers: 0,
      numChannels: 0,
      uptime: Math.floor((this.#clock.monotonic() - this.#startedAt) / 1000),
      metrics: null,
      data: null,
      numSubs: 0,
    };
    this.#send(channel, { node }).catch(() => {}); // the next announcement follows in 3 s
  }
}
