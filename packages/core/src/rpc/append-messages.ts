import {
  anyJson,
  type Field,
  flag,
  int32,
  int64,
  list,
  message,
  nullable,
  text,
  uint64,
  unlessZero,
} from '@msg/foundation/shape';
import { sinkMessage } from './delivery-messages.ts';
import { publishData } from './publish-data.ts';

// Messages of append streams (append streams 5.1). Member names are the wire's.

const textIfAny = unlessZero(text);

/** Null where it is absent, which is not sent: operations are small and many. */
function ifAny<T>(field: Field<T>): Field<T | null> {
  return { ...nullable(field), write: value => (value === null ? undefined : field.write(value)) };
}

/** Exactly one of `text`, `item`, `meta` and `status`. */
const appendOp = message({
  text: ifAny(text),
  /** Base64 of a JSON value. */
  item: ifAny(publishData),
  /** With `item`: the member of that object that texts will grow. */
  open: textIfAny,
  /** Base64 of a JSON object. */
  meta: ifAny(publishData),
  /** `complete`, `cancelled` or `failed`. */
  status: textIfAny,
  reason: textIfAny,
});

const orSink = message({
  sink: text,
  recipient: anyJson,
  message: sinkMessage,
});

const appendCancel = message({
  /** User or subject who asked; empty: not known. */
  by: text,
  reason: text,
  /** RFC 3339. */
  at: text,
});

export const appendRequest = message({
  name: text,
  message: text,
  producer: text,
  /** Number of the first operation; the first of a message is 1. */
  seq: uint64,
  /** At most 1,024; none: a heartbeat. */
  ops: list(appendOp),
  /** Short for one operation `text`. */
  text: ifAny(text),
  /** `text`, the default, or `items`. For the opening, as the next three. */
  format: textIfAny,
  run: textIfAny,
  input: textIfAny,
  /** 5 to 3,600; 0: as the channel says. */
  orphan_seconds: unlessZero(int32),
  /** Takes the message over from another producer, if `seq` is the next number. */
  take_over: unlessZero(flag),
  /** With a final status: where the text goes without subscribers. */
  or_sink: ifAny(orSink),
});
export const appendResponse = message({
  /** Number of the last operation applied. */
  seq: uint64,
  offset: uint64,
  epoch: text,
  /** `streaming`, `complete`, `cancelled` or `failed`. */
  status: text,
  /** Bytes of the document. */
  size: int64,
  /** Operations of the request that had been applied before. */
  duplicates: int32,
  /** A request that the producer stop. */
  cancel: nullable(appendCancel),
  /** Of `or_sink`: `published`, `sent`, `parked`, or `pending` while it is not known. */
  outcome: text,
});

export const appendStateRequest = message({
  name: text,
  /** Empty: the open message, else the newest. */
  message: text,
  /** The answer waits so long for the end, a cancel or another producer; at most 25. */
  wait_seconds: int32,
  with_document: flag,
});
export const appendStateResponse = message({
  message: text,
  producer: text,
  run: text,
  input: text,
  format: text,
  status: text,
  reason: text,
  seq: uint64,
  /** Number of the next operation. */
  expected_seq: uint64,
  size: int64,
  offset: uint64,
  epoch: text,
  /** The orphan timeout of an open message. */
  orphan_seconds: int32,
  cancel: nullable(appendCancel),
  /** The document in base64; null: not asked for, no longer kept, or `hidden`. */
  document: nullable(publishData),
  /** The caller is a viewer, who does not see documents. */
  hidden: flag,
});

/** The message by its id, by the input that it answers, or with neither the open one. */
export const appendCancelRequest = message({ name: text, message: text, input: text, reason: text });
export const appendCancelResponse = message({
  /** Status of the message; empty: it has not opened yet, and is cancelled when it does within 60 s. */
  status: text,
  cancel: nullable(appendCancel),
});
