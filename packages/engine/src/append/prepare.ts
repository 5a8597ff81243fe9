import { isRecord } from '@msg/foundation/json';
import { Payload } from '@msg/protocol';
import type { AppendCommand, AppendOp, PreparedAppend } from './contract.ts';
import type { PreparedOp } from './prepared-op.ts';
import { AppendRefused, invalidAppend } from './refusal.ts';

/** Operations of one request at most. */
const MAX_APPEND_OPS = 1024;
const MAX_META_BYTES = 4096;
const MAX_REASON_BYTES = 256;
const MAX_NAME_BYTES = 64;
/** Bytes of the operations of one request at most: more than any document may have. */
const MAX_REQUEST_BYTES = 8_388_608;

const ID = /^[A-Za-z0-9._~-]{1,64}$/;
const FORMATS: readonly unknown[] = ['text', 'items'];
const FINAL: readonly unknown[] = ['complete', 'cancelled', 'failed'];
const CLOSE_BRACE = 0x7d;
const MIN_ORPHAN_MS = 5000;
const MAX_ORPHAN_MS = 3_600_000;
const LONGEST_PLAIN = 32;

/**
 * Checks the shape of a request and encodes its operations (append streams 3, 5.1).
 *
 * @throws AppendRefused `invalid`, which names the member; `too_large` for operations that no document can hold
 */
export function prepareAppend(command: AppendCommand): PreparedAppend {
  const { ops, ...request } = command;
  const { message, producer, seq, format, run = '', input = '', orphanMs } = request;
  requireAppendId('message', message);
  requireAppendId('producer', producer);
  if (run !== '') requireAppendId('run', run);
  if (input !== '') requireAppendId('input', input);
  if (format !== undefined && !FORMATS.includes(format)) throw invalidAppend('format must be text or items');
  if (orphanMs !== undefined && !(orphanMs >= MIN_ORPHAN_MS && orphanMs <= MAX_ORPHAN_MS))
    throw invalidAppend('the orphan time must be 5 seconds to 1 hour');
  if (ops.length > 0 && !(Number.isSafeInteger(seq) && seq >= 1))
    throw invalidAppend('seq must be the number of the first operation, from 1');
  if (!Number.isSafeInteger(seq + ops.length)) throw invalidAppend('seq is too large');
  return { ...request, ops: prepareOps(ops) };
}

function prepareOps(ops: readonly AppendOp[]): PreparedOp[] {
  if (ops.length > MAX_APPEND_OPS)
    throw invalidAppend(`more than ${MAX_APPEND_OPS} operations; send several requests`);
  const prepared = new Array<PreparedOp>(ops.length);
  let bytes = 0;
  for (const [index, op] of ops.entries()) {
    const encoded = prepareOp(op, index);
    if (encoded.kind === 'status' && index < ops.length - 1)
      throw invalidAppend(`ops[${index}]: status must be the last operation`);
    if (encoded.kind !== 'status') bytes += encoded.bytes.length;
    prepared[index] = encoded;
  }
  if (bytes > MAX_REQUEST_BYTES) {
    const meta = { max_bytes: String(MAX_REQUEST_BYTES), size: String(bytes) };
    throw new AppendRefused('too_large', `operations of ${bytes} bytes in one request`, meta);
  }
  return prepared;
}

function prepareOp(op: AppendOp, index: number): PreparedOp {
  if ('text' in op) return { kind: 'text', bytes: escapedText(op.text, index) };
  if ('item' in op) {
    const open = op.open ?? '';
    const bytes = open === '' ? jsonValue(op.item, index, 'item') : openObject(op.item, open, index);
    return { kind: 'item', bytes, open: open !== '' };
  }
  if ('meta' in op) return { kind: 'meta', bytes: metaObject(op.meta, index) };
  const { status, reason = '' } = op;
  if (!FINAL.includes(status))
    throw invalidAppend(`ops[${index}]: one of text, item, meta, or status complete, cancelled or failed`);
  requireReason(reason, `ops[${index}].reason`);
  return { kind: 'status', status, reason };
}

/** @throws AppendRefused `invalid` for what is not an id of append streams 3 */
export function requireAppendId(member: string, value: string): void {
  if (!ID.test(value)) throw invalidAppend(`${member} must be 1 to 64 of A-Z a-z 0-9 . _ ~ -`);
}

/** @throws AppendRefused `invalid` for a reason that is too long or ill-formed */
export function requireReason(reason: string, member = 'reason'): void {
  if (!reason.isWellFormed()) throw invalidAppend(`${member} is not well-formed Unicode`);
  if (Buffer.byteLength(reason) > MAX_REASON_BYTES)
    throw invalidAppend(`${member} is longer than ${MAX_REASON_BYTES} bytes`);
}

/** A text as it stands between the quotes of a JSON string. */
function escapedText(text: string, index: number): Uint8Array {
  if (text.length <= LONGEST_PLAIN) {
    const plain = plainText(text);
    if (plain !== null) return plain;
  }
  if (!text.isWellFormed()) throw invalidAppend(`ops[${index}].text has half of a surrogate pair`);
  return Buffer.from(JSON.stringify(text)).subarray(1, -1);
}

/** The bytes of a short text without anything to escape; null for any other. Cheaper than the way through native code. */
function plainText(text: string): Uint8Array | null {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit > 0x7f || unit === 0x22 || unit === 0x5c) return null;
    bytes[i] = unit;
  }
  return bytes;
}

function jsonValue(bytes: Uint8Array, index: number, member: string): Uint8Array {
  const payload = new Payload(bytes);
  if (payload.kind !== 'json') throw invalidAppend(`ops[${index}].${member} is not one JSON value`);
  return payload.json;
}

function jsonObject(
  bytes: Uint8Array,
  index: number,
  member: string,
): [Readonly<Record<string, unknown>>, Buffer] {
  const json = jsonValue(bytes, index, member);
  const text = Buffer.from(json.buffer, json.byteOffset, json.length);
  const value: unknown = JSON.parse(text.toString());
  if (!isRecord(value)) throw invalidAppend(`ops[${index}].${member} is not a JSON object`);
  return [value, text];
}

function metaObject(bytes: Uint8Array, index: number): Uint8Array {
  const [, text] = jsonObject(bytes, index, 'meta');
  if (text.length > MAX_META_BYTES)
    throw invalidAppend(`ops[${index}].meta is longer than ${MAX_META_BYTES} bytes`);
  return text;
}

/** The object up to and into the new member at its end. */
function openObject(bytes: Uint8Array, open: string, index: number): Uint8Array {
  if (!open.isWellFormed() || Buffer.byteLength(open) > MAX_NAME_BYTES)
    throw invalidAppend(`ops[${index}].open must be a name of at most ${MAX_NAME_BYTES} bytes`);
  const [value, text] = jsonObject(bytes, index, 'item');
  if (Object.hasOwn(value, open))
    throw invalidAppend(`ops[${index}].item has the member ${JSON.stringify(open)} already`);
  const separator = Object.keys(value).length === 0 ? '' : ',';
  const member = Buffer.from(`${separator}${JSON.stringify(open)}:"`);
  return Buffer.concat([text.subarray(0, text.lastIndexOf(CLOSE_BRACE)), member]);
}
