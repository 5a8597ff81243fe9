import { isValidName, MsgError, type PublishPayload, parseName } from '@msg/core';
import { payloadBytes } from '@msg/core/internal';
import type { PublishExtras, SinkDelivery } from './contract.ts';
import { inSchema, schemaName } from './schema/name.ts';

/** A call of a function of the outbox; parameters are `$1`, `$2` … and all of them are text, or null. */
export interface OutboxStatement {
  readonly text: string;
  readonly params: readonly (string | null)[];
}

/** Bytes travel as hexadecimal digits, because drivers differ in what they make of binary values. */
const BYTES = "decode($2::text, 'hex')";

/**
 * `msg.publish` as a statement.
 * @throws MsgError MSG_CHANNEL_INVALID; MSG_INVALID_ARGUMENT for a value that JSON cannot hold
 */
export function publishStatement(
  name: string,
  value: PublishPayload,
  extras: PublishExtras = {},
): OutboxStatement {
  parseName(name);
  return call('publish', '$1::text', name, value, extras);
}

/**
 * `msg.broadcast` as a statement.
 * @throws MsgError MSG_CHANNEL_INVALID; MSG_INVALID_ARGUMENT for a value that JSON cannot hold
 */
export function broadcastStatement(
  names: readonly string[],
  value: PublishPayload,
  extras: PublishExtras = {},
): OutboxStatement {
  for (const name of names) if (!isValidName(name)) parseName(name);
  return call(
    'broadcast',
    '$1::text::text[]',
    `{${names.map(name => `"${name}"`).join(',')}}`,
    value,
    extras,
  );
}

/**
 * `msg.publish_or_sink` as a statement.
 * @throws MsgError MSG_CHANNEL_INVALID; MSG_INVALID_ARGUMENT for a value that JSON cannot hold
 */
export function publishOrSinkStatement(
  name: string,
  value: PublishPayload,
  { sink, recipient, message, ...options }: SinkDelivery,
): OutboxStatement {
  parseName(name);
  const text = `SELECT {schema}.publish_or_sink($1::text, $2::text::jsonb, $3::text, $4::text::jsonb, $5::text::jsonb)::text`;
  const params = [
    name,
    jsonText(value, 'payload'),
    sink,
    jsonText(recipient, 'recipient'),
    jsonText(message, 'message'),
  ];
  return { text: inSchema(text, schemaName(options)), params };
}

function call(
  procedure: 'publish' | 'broadcast',
  target: string,
  names: string,
  value: PublishPayload,
  { tags, skipHistory = false, ordered = false, ...options }: PublishExtras,
): OutboxStatement {
  const isBinary = value instanceof Uint8Array || value instanceof ArrayBuffer;
  const bytes = payloadBytes(value);
  const data = isBinary ? Buffer.from(bytes).toString('hex') : new TextDecoder().decode(bytes);
  const text = `SELECT {schema}.${procedure}(${target}, ${isBinary ? BYTES : '$2::text'}, $3::text::jsonb, $4::text::boolean, $5::text::boolean)::text`;
  const params = [
    names,
    data,
    tags === undefined ? null : jsonText(tags, 'tags'),
    String(skipHistory),
    String(ordered),
  ];
  return { text: inSchema(text, schemaName(options)), params };
}

function jsonText(value: unknown, name: string): string {
  return new TextDecoder().decode(payloadBytes(value, name));
}

/** @throws MsgError MSG_INVALID_ARGUMENT */
export function notTransaction(expected: string): never {
  throw new MsgError(
    'MSG_INVALID_ARGUMENT',
    `tx must be ${expected}: what is published belongs to a transaction`,
  );
}

/** Whether a value has all of these methods. */
export function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return names.every(name => typeof Reflect.get(value, name) === 'function');
}
