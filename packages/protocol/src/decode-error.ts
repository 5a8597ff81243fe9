/**
 * Why bytes could not be decoded.
 *
 * - `empty`: a frame or body without any message.
 * - `malformed`: not JSON, not Protobuf, not UTF-8, a blank line, a wrong wire type.
 * - `type_mismatch`: valid JSON of the wrong type, or a number outside the range of its field.
 * - `truncated`: the input ends inside a message.
 * - `too_large`: a message above the size limit.
 * - `too_deep`: nesting above the limit.
 * - `too_many`: more map entries and list elements than the limit.
 * - `bad_delta`: a delta that does not apply to its base.
 */
export type DecodeErrorCode =
  | 'empty'
  | 'malformed'
  | 'type_mismatch'
  | 'truncated'
  | 'too_large'
  | 'too_deep'
  | 'too_many'
  | 'bad_delta';

/**
 * The only error that decoders of this package throw. A server answers it with disconnect 3501 (client protocol 2.3). The
 * message contains no input bytes, so it is safe to log.
 */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
  readonly code: DecodeErrorCode;

  constructor(code: DecodeErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
