import { type Clock, systemClock } from '@msg/foundation/clock';
import { isRecord } from '@msg/foundation/json';
import { MsgError } from '../errors.ts';
import type { RpcClient } from '../rpc/client.ts';
import { AppendWriter, type AppendWriterParts } from './append-writer.ts';
import type { AppendStreamOptions } from './options.ts';
import type { WriterOp } from './port.ts';
import { rpcPort } from './rpc-port.ts';

/** Options of a stream that another worker goes on with. */
export type ResumeStreamOptions = Pick<AppendStreamOptions, 'producer' | 'onFull' | 'retryFor'>;

/** Opens a message. @throws MsgError what the service refused it with */
export function openStream(parts: AppendWriterParts, options: AppendStreamOptions): Promise<AppendWriter> {
  return new AppendWriter(parts, options).open();
}

/**
 * Takes a message over and goes on after its last number.
 * @param message absent: the open one
 * @throws MsgError MSG_APPEND_NOT_FOUND, MSG_APPEND_CLOSED for a message that has ended
 */
export async function takeOverStream(
  parts: AppendWriterParts,
  message: string | undefined,
  options: ResumeStreamOptions,
): Promise<AppendWriter> {
  const state = await parts.port.state(message, 0, true);
  if (state.status !== 'streaming') {
    const text = `message ${state.message} has ended as ${state.status}`;
    throw new MsgError('MSG_APPEND_CLOSED', text, { meta: { status: state.status } });
  }
  const { format } = state;
  const seq = state.expectedSeq - 1;
  const content = contentOf(state.document);
  const writer = new AppendWriter(
    parts,
    { ...options, message: state.message, format },
    { ...content, seq, before: format === 'text' ? textBefore(content) : null },
  );
  return writer.open();
}

/** The document of a message, as the writer gives it to its worker. */
function contentOf(document: Uint8Array | null) {
  const none = { text: '', items: [], meta: undefined };
  if (document === null) return none;
  const value: unknown = JSON.parse(new TextDecoder().decode(document));
  if (!isRecord(value)) return none;
  const { text, items, meta } = value;
  return {
    text: typeof text === 'string' ? text : '',
    items: Array.isArray(items) ? (items as readonly unknown[]) : [],
    meta,
  };
}

/** Operations that make the same document, for a store that loses it. */
function textBefore({ text, meta }: ReturnType<typeof contentOf>): readonly WriterOp[] {
  const head = meta === undefined ? [] : [{ meta: new TextEncoder().encode(JSON.stringify(meta)) }];
  return [...head, { text }];
}

/**
 * Opens a message of an append stream over the RPC, and returns what lets it grow.
 * @throws MsgError what the service refused it with. Source: append streams 5.3
 */
export function appendStream(
  client: RpcClient,
  channel: string,
  options: AppendStreamOptions = {},
  clock: Clock = systemClock,
): Promise<AppendWriter> {
  return openStream({ port: rpcPort(client, channel, clock), clock }, options);
}

/**
 * Takes a message of an append stream over from another worker, over the RPC; {@link AppendWriter.resumed} has the text
 * so far.
 * @throws MsgError MSG_APPEND_NOT_FOUND, MSG_APPEND_CLOSED for a message that has ended
 */
export function resumeStream(
  client: RpcClient,
  channel: string,
  message?: string,
  options: ResumeStreamOptions = {},
  clock: Clock = systemClock,
): Promise<AppendWriter> {
  return takeOverStream({ port: rpcPort(client, channel, clock), clock }, message, options);
}
