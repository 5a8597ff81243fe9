import type { RealtimeNode, Total } from '@msg/engine';
import type { Clock, Random, TimerHandle } from '@msg/foundation/clock';
import { FrameRing } from './frame-ring.ts';
import { type FrameRow, frameRows } from './frame-rows.ts';
import type { Holder, HolderCheck } from './holder.ts';
import { privateId } from './private-id.ts';

/** Recordings of one node at a time. */
export const MAX_RECORDINGS = 5;
/** How long an ended recording can still be read. */
const KEPT_MS = 60_000;
/** A right that ends ends its recordings within this time. */
const CHECK_MS = 4000;
/** Frame bytes of one answer. */
const MAX_ANSWER_BYTES = 128 * 1024;

/** Whom to record, how long, and for whom. */
export interface RecordingRequest {
  readonly client: string;
  readonly seconds: number;
  readonly payloads: boolean;
  readonly holder: Holder | null;
}

/** `running`, or why it has ended: its time is over, it was stopped, the connection or the caller's right ended. */
export type RecordingState = 'running' | 'time' | 'stopped' | 'closed' | 'rights';

export interface StartedRecording {
  readonly recording: string;
  /** Unix milliseconds. */
  readonly until: number;
  readonly user: string;
}

/** What a node answers to a request; null: the connection is elsewhere. */
export type StartAnswer = StartedRecording | { readonly refused: 'recorded' | 'full' } | null;

export interface RecordingPage {
  readonly frames: readonly FrameRow[];
  /** Number of the last frame of the answer: the next one begins behind it. */
  readonly next: number;
  readonly state: RecordingState;
  readonly dropped: number;
}

/** How far a recording is. */
export interface RecordingSummary {
  readonly recording: string;
  readonly client: string;
  readonly state: RecordingState;
  readonly frames: number;
}

/** A recording that has ended, for the audit. */
export interface EndedRecording {
  readonly client: string;
  readonly user: string;
  readonly state: RecordingState;
  readonly frames: number;
  readonly actor: string;
}

export interface RecordingsOptions {
  readonly node: () => Pick<RealtimeNode, 'connections'>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
  readonly holders: HolderCheck;
  /** Recordings of this node that run. */
  readonly total: Total;
  readonly onEnded: (ended: EndedRecording) => void;
}

interface Recording {
  readonly request: RecordingRequest;
  readonly user: string;
  readonly encoding: 'json' | 'protobuf';
  readonly ring: FrameRing;
  /** Unix milliseconds. */
  readonly until: number;
  /** Names of the channels that pushes name by a number, as far as they are known. */
  readonly channels: Map<number, string>;
  state: RecordingState;
  timer: TimerHandle | undefined;
}

/** The recordings of this node. */
export class Recordings {
  readonly #options: RecordingsOptions;
  readonly #recordings = new Map<string, Recording>();
  readonly #detach = new Map<string, () => void>();

  constructor(options: RecordingsOptions) {
    this.#options = options;
  }

  /** Recordings that run. */
  get count(): number {
    return this.#detach.size;
  }

  start(request: RecordingRequest): StartAnswer {
    const { clock, random, total } = this.#options;
    const { connections } = this.#options.node();
    const connection = connections.get(request.client);
    if (connection === undefined) return null;
    if (connection.recording) return { refused: 'recorded' };
    if (!total.take(1, MAX_RECORDINGS)) return { refused: 'full' };
    const id = privateId(random);
    const ring = new FrameRing(clock, () => this.#end(id, 'closed'));
    const detach = connections.record(request.client, ring);
    if (detach === undefined) {
      total.give(1);
      return null;
    }
    const { user, transport } = connection.client;
    const until = clock.now() + request.seconds * 1000;
    const recording: Recording = {
      request,
      user,
      encoding: transport.encoding,
      ring,
      until,
      channels: new Map(),
      state: 'running',
      timer: undefined,
    };
    this.#recordings.set(id, recording);
    this.#detach.set(id, detach);
    this.#arm(id, recording);
    return { recording: id, until, user };
  }

  /** Frames behind a number; null: another node has the recording. */
  page(id: string, after: number): RecordingPage | null {
    const recording = this.#recordings.get(id);
    if (recording === undefined) return null;
    const { ring, encoding, request, state } = recording;
    this.#noteChannels(recording);
    const page = ring.after(after, MAX_ANSWER_BYTES);
    const frames = page.flatMap(frame =>
      frameRows(frame, { encoding, payloads: request.payloads, channels: recording.channels }),
    );
    return { frames, next: page.at(-1)?.number ?? after, state, dropped: ring.dropped };
  }

  /** What there is of each recording. */
  states(): readonly RecordingSummary[] {
    return [...this.#recordings].map(([recording, { request, state, ring }]) => ({
      recording,
      client: request.client,
      state,
      frames: ring.count,
    }));
  }

  /** Ends a recording; what it has can still be read. False: another node has it. */
  stop(id: string): boolean {
    if (!this.#recordings.has(id)) return false;
    this.#end(id, 'stopped');
    return true;
  }

  /** Ends the recordings of a session of the console. */
  endOf(session: string): void {
    for (const [id, { request }] of this.#recordings)
      if (request.holder?.session === session) this.#end(id, 'rights');
  }

  /** Ends all. */
  close(): void {
    for (const id of [...this.#detach.keys()]) this.#end(id, 'stopped');
    for (const { timer } of this.#recordings.values()) this.#options.clock.clearTimeout(timer as TimerHandle);
    this.#recordings.clear();
  }

  /** Names that the live subscriptions of the connection tell. */
  #noteChannels({ request, channels }: Recording): void {
    const connection = this.#options.node().connections.get(request.client);
    for (const { channel, channelId } of connection?.subscriptions() ?? []) channels.set(channelId, channel);
  }

  /** Looks again at the end, and in between whether the right lasts. */
  #arm(id: string, recording: Recording): void {
    const { clock } = this.#options;
    const wait = Math.min(CHECK_MS, Math.max(0, recording.until - clock.now()));
    recording.timer = clock.setTimeout(() => void this.#check(id, recording), wait);
  }

  async #check(id: string, recording: Recording): Promise<void> {
    const { clock, holders } = this.#options;
    this.#noteChannels(recording);
    if (clock.now() >= recording.until) return this.#end(id, 'time');
    if (await holders.hasEnded(recording.request.holder ?? undefined)) this.#end(id, 'rights');
    else if (recording.state === 'running') this.#arm(id, recording);
  }

  #end(id: string, state: RecordingState): void {
    const recording = this.#recordings.get(id);
    if (recording?.state !== 'running') return;
    const { clock, total, onEnded } = this.#options;
    recording.state = state;
    total.give(1);
    this.#detach.get(id)?.();
    this.#detach.delete(id);
    clock.clearTimeout(recording.timer as TimerHandle);
    recording.timer = clock.setTimeout(() => this.#recordings.delete(id), KEPT_MS);
    const { request, user, ring } = recording;
    onEnded({
      client: request.client,
      user,
      state,
      frames: ring.count,
      actor: request.holder?.subject ?? '',
    });
  }
}
