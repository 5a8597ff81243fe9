// What rows of refused requests of append streams are made of.
/** A request that is refused after others that are taken. Members that are not there are those of {@link REQUEST}. */
export interface RefusedRequest {
  readonly what: string;
  readonly method?: 'Append' | 'AppendState' | 'AppendCancel';
  /** Taken, one after the other. */
  readonly before?: readonly object[];
  readonly request: object;
  readonly code:
    | 'MSG_INVALID_ARGUMENT'
    | 'MSG_APPEND_NOT_FOUND'
    | 'MSG_APPEND_GAP'
    | 'MSG_APPEND_CLOSED'
    | 'MSG_APPEND_BUSY'
    | 'MSG_APPEND_FENCED'
    | 'MSG_APPEND_TOO_LARGE'
    | 'MSG_SINK_CONFIG_INVALID';
  /** Of the answer, besides the code. */
  readonly meta?: Readonly<Record<string, string>>;
  /** It cannot be read: the wire's own code is `malformed`. */
  readonly isMalformed?: boolean;
  /** Part of what it says. */
  readonly says?: string;
}

/** What a request says that does not say it itself. */
export const REQUEST = { message: 'm', producer: 'p' };
/** Largest document of the channels of the table. */
export const MAX_BYTES = 8192;

export const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
export const raw = (text: string): string => Buffer.from(text).toString('base64');

export const TEXT = { seq: 1, text: 'a' };
export const OPEN_ITEM = {
  seq: 1,
  format: 'items',
  ops: [{ item: base64({ type: 't' }), open: 'delta' }, { text: 'x' }],
};
export const CLOSED_ITEM = { seq: 1, format: 'items', ops: [{ item: base64(7) }] };
export const END = { seq: 2, ops: [{ status: 'complete', reason: 'said' }] };

export const INVALID = 'MSG_INVALID_ARGUMENT';
