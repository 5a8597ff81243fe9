/**
 * How a field is written; names as in client protocol 3.
 *
 * - `bytes`: bytes in Protobuf, embedded JSON in JSON; null is absent.
 * - `payload`: the payload of a publication; as `bytes`, but JSON writes it even when it is empty.
 */
export type Kind =
  | 'u32'
  | 'u64'
  | 'i32'
  | 'i64'
  | 's64'
  | 'bool'
  | 'str'
  | 'bytes'
  | 'payload'
  | 'double'
  | 'message'
  | 'strings'
  | 'messages'
  | 'stringMap'
  | 'messageMap'
  | 'doubleMap';
