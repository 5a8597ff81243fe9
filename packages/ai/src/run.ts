/// <reference lib="esnext.disposable" preserve="true" />
import {
  type AppendFormat,
  type AppendStreamOptions,
  type AppendWriter,
  appendStream,
  type RpcClient,
} from '@msg/core';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { UIMessageChunk } from 'ai';
import { AnswerPipe, type PipeOptions, type RunResult, type Source } from './answer-pipe.ts';

/** Where an answer goes: `Msg` of this process, or the typed RPC client. */
export type RunService =
  | { appendStream(channel: string, options?: AppendStreamOptions): Promise<AppendWriter> }
  | RpcClient;

/** Options of a run. */
export interface RunOptions {
  readonly channel: string;
  /** The request that the run answers: `input` of the chat transport's request. */
  readonly input?: string;
  /** The application's own id of the run. */
  readonly run?: string;
  /** A JSON object for the readers. */
  readonly meta?: object;
  /** Milliseconds of silence after which the service ends the answer as `orphaned`; default as the channel says. */
  readonly orphanTimeout?: number;
  /** `items`, the default: chunks of UI messages. `text`: strings. */
  readonly format?: AppendFormat;
}

/** An answer that grows in a channel. */
export interface Run<T extends UIMessageChunk | string = UIMessageChunk> {
  /** Id of its message in the channel. */
  readonly message: string;
  readonly channel: string;
  /** Aborts when the answer is stopped, on whatever device, or is lost. It stays silent when readers leave. */
  readonly signal: AbortSignal;
  /**
   * Writes what the source yields and ends the answer as the source ends: `complete`, `cancelled` after an `abort` chunk
   * or a stop, `failed` after an `error` chunk or when the source throws. After a stop it reads on for 4 s.
   * @throws MsgError why the answer could not be written: MSG_APPEND_TOO_LARGE, MSG_APPEND_FENCED and the service's codes
   */
  pipe(source: Source<T>, options?: PipeOptions): Promise<RunResult>;
  /** Leaving a block before the answer has ended is a failure: `abandoned`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens the message of an answer, so that readers see it and may stop it before the model says anything.
 * @throws MsgError MSG_APPEND_BUSY while another answer is open in the channel; what the service refused it with. Source:
 * append streams 12.1
 */
export function openRun(
  service: RunService,
  options: RunOptions & { readonly format: 'text' },
  clock?: Clock,
): Promise<Run<string>>;
export function openRun(service: RunService, options: RunOptions, clock?: Clock): Promise<Run>;
export async function openRun(
  service: RunService,
  { channel, meta, format = 'items', ...options }: RunOptions,
  clock: Clock = systemClock,
): Promise<Run<UIMessageChunk | string>> {
  // A list of items opens with its first one, or with meta.
  const head = defined({ meta: meta ?? (format === 'items' ? {} : undefined) });
  const writerOptions = { ...options, ...head, format };
  const writer =
    'appendStream' in service
      ? await service.appendStream(channel, writerOptions)
      : await appendStream(service, channel, writerOptions);
  return {
    channel,
    get message() {
      return writer.message;
    },
    signal: writer.signal,
    pipe: (source, pipeOptions = {}) => new AnswerPipe(writer, format, clock).run(source, pipeOptions),
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}

/**
 * Opens a run and pipes a source into it. For a model that should hear of a stop, open the run first and give the model
 * its signal; `source` may be a function of that signal.
 * @throws MsgError as {@link openRun} and {@link Run.pipe}
 */
export function pipeToChannel(
  service: RunService,
  source: SourceOf<string>,
  options: RunOptions & PipeOptions & { readonly format: 'text' },
): Promise<RunResult>;
export function pipeToChannel(
  service: RunService,
  source: SourceOf<UIMessageChunk>,
  options: RunOptions & PipeOptions,
): Promise<RunResult>;
export async function pipeToChannel(
  service: RunService,
  source: SourceOf<UIMessageChunk> | SourceOf<string>,
  { onError, onEnd, ...options }: RunOptions & PipeOptions,
): Promise<RunResult> {
  await using run: Run<UIMessageChunk | string> = await openRun(service, options);
  const opened = typeof source === 'function' ? source(run.signal) : source;
  return await run.pipe(opened, defined({ onError, onEnd }));
}

/** A source, or what makes one that listens to the run's signal. */
export type SourceOf<T> = Source<T> | ((signal: AbortSignal) => Source<T>);
