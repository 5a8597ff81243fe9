/**
 * Why a message could not be encoded.
 *
 * - `payload_not_text`: a command with a payload that is neither JSON nor UTF-8, in JSON.
 * - `out_of_range`: a number outside the range of its field, or above 2^53 − 1.
 */
export type EncodeErrorCode = 'payload_not_text' | 'out_of_range';

/** The only error that encoders of this package throw for values of the right type. */
export class EncodeError extends Error {
  override readonly name = 'EncodeError';
  readonly code: EncodeErrorCode;

  constructor(code: EncodeErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
