import type { IncomingMessage } from 'node:http';

/** Where the body parsers of web frameworks put what they read. */
interface ParsedRequest {
  readonly rawBody?: unknown;
  readonly body?: unknown;
}

/** A body that something else read before. */
export interface ParsedBody {
  readonly bytes: Buffer;
  /** The bytes are not those that came: they were made of a parsed value. Forms of numbers may differ. */
  readonly rewritten: boolean;
}

/** True when something else has read of the request's body, or decodes it to text. */
export function isReadElsewhere(request: IncomingMessage): boolean {
  return request.readableDidRead || request.readableEnded || request.readableEncoding !== null;
}

function bytesOf(value: unknown): Buffer | undefined {
  if (Buffer.isBuffer(value)) return value;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return typeof value === 'string' ? Buffer.from(value) : undefined;
}

/** `undefined` for what JSON does not have. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) as string | undefined; // no text for `undefined` and functions
  } catch {
    return undefined;
  }
}

/** The body where a framework's parser left it: `rawBody`, else `body`; `undefined` when it is in neither. */
export function parsedBody(request: IncomingMessage): ParsedBody | undefined {
  const { rawBody, body } = request as ParsedRequest; // members that frameworks add
  const bytes = bytesOf(rawBody) ?? bytesOf(body);
  if (bytes !== undefined) return { bytes, rewritten: false };
  const text = jsonOf(body);
  return text === undefined ? undefined : { bytes: Buffer.from(text), rewritten: true };
}
