/** How a field is written. Names as in client protocol 3; numbers, so that codecs switch on them fast. */
export const Kind = {
  u32: 0,
  u64: 1,
  i32: 2,
  i64: 3,
  s64: 4,
  bool: 5,
  str: 6,
  /** Bytes in Protobuf, embedded JSON in JSON; null is absent. */
  bytes: 7,
  /** The payload of a publication: as `bytes`, but JSON writes it even when it is empty. */
  payload: 8,
  double: 9,
  message: 10,
  strings: 11,
  messages: 12,
  stringMap: 13,
  messageMap: 14,
  doubleMap: 15,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];
