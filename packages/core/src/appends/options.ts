import type { AppendFormat, AppendStatus, WriterSink } from './port.ts';

/** What a stream takes: text, also in bytes of UTF-8, or a JSON value, which may leave a string open for texts. */
export type Written = string | Uint8Array | { readonly item: unknown; readonly open?: string };

/** Options of a new stream; all are optional. Durations are milliseconds. Source: append streams 5.3. */
export interface AppendStreamOptions {
  /** Id of the message, unique within its channel; default random. */
  readonly message?: string;
  /** Id of this producer; default random. */
  readonly producer?: string;
  /** The application's run, and the request that the message answers. */
  readonly run?: string;
  readonly input?: string;
  /** A JSON object for the readers. */
  readonly meta?: object;
  /** Default `text`. */
  readonly format?: AppendFormat;
  /** The message ends as `failed` when this producer says nothing for so long; 5 s to 1 h, default as the channel says. */
  readonly orphanTimeout?: number;
  /**
   * When the message is as large as the channel allows: `fail`, the default, ends it as failed; `roll` ends it and goes
   * on in the message `<id>~2`, and so on.
   */
  readonly onFull?: 'fail' | 'roll';
  /** How long a request is repeated that gets no answer; default 60 s. */
  readonly retryFor?: number;
}

/** What an end may say besides its status. */
export interface CompleteOptions {
  /** At most 256 bytes. */
  readonly reason?: string;
  /** Replaces the meta of the message. */
  readonly meta?: object;
  /** Where the text goes without subscribers. */
  readonly orSink?: WriterSink;
}

/** A message as its last answer described it. */
export interface AppendStreamResult {
  readonly message: string;
  readonly status: AppendStatus;
  readonly reason: string;
  /** Number of the last operation. */
  readonly seq: number;
  /** Bytes of the document. */
  readonly size: number;
  readonly offset: number;
  readonly epoch: string;
  /** What became of `orSink`. */
  readonly outcome?: string;
}
