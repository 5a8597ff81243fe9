import type { MsgError } from '../errors.ts';

/** How a message of an append stream ends. */
export type AppendEnd = 'complete' | 'cancelled' | 'failed';
/** Where a message of an append stream is. */
export type AppendStatus = 'streaming' | AppendEnd;
/** What grows in a message: one text, or a list of JSON values. */
export type AppendFormat = 'text' | 'items';

/** The smallest thing that a producer adds. Items and meta are the bytes of JSON values. */
export type WriterOp =
  | { readonly text: string }
  | { readonly item: Uint8Array; readonly open?: string }
  | { readonly meta: Uint8Array }
  | { readonly status: AppendEnd; readonly reason: string };

/** Where the text of an ended message goes without subscribers. */
export interface WriterSink {
  /** Name of a registered sink. */
  readonly sink: string;
  /** In the sink's own form. */
  readonly recipient?: unknown;
  /** Without a `body` it is the text; for items it is required. */
  readonly message?: {
    readonly subject?: string;
    readonly body?: string;
    readonly metadata?: Readonly<Record<string, string>>;
  };
}

/** A request of a writer. */
export interface WriterRequest {
  readonly message: string;
  readonly producer: string;
  /** Number of the first operation. */
  readonly seq: number;
  readonly ops: readonly WriterOp[];
  readonly format: AppendFormat;
  readonly run?: string;
  readonly input?: string;
  /** Milliseconds. */
  readonly orphanMs?: number;
  readonly takeOver?: boolean;
  readonly orSink?: WriterSink;
}

/** A request that the producer stop. */
export interface WriterCancel {
  readonly by: string;
  readonly reason: string;
}

/** The answer to a request. */
export interface WriterAnswer {
  readonly seq: number;
  readonly offset: number;
  readonly epoch: string;
  readonly status: AppendStatus;
  readonly size: number;
  readonly cancel: WriterCancel | null;
  readonly outcome?: string;
}

/** A message as a read finds it. */
export interface WriterState {
  readonly message: string;
  readonly producer: string;
  readonly format: AppendFormat;
  readonly status: AppendStatus;
  readonly expectedSeq: number;
  readonly orphanMs: number;
  readonly cancel: WriterCancel | null;
  /** Only where it was asked for. */
  readonly document: Uint8Array | null;
}

/** How a writer reaches the service. Both reject with {@link MsgError}. */
export interface AppendPort {
  append(request: WriterRequest): Promise<WriterAnswer>;
  /** With `waitMs` the answer waits so long for an end, a cancel or another producer. */
  state(message: string | undefined, waitMs: number, withDocument: boolean): Promise<WriterState>;
}
