import { MsgError } from '@msg/core';
import { errorOfAnswer } from '@msg/core/internal';
import { defined } from '@msg/foundation/json';
import { createParser } from 'eventsource-parser';
import type { CliEnvironment } from './io.ts';

/** How long the command waits for the stream to open (messaging details 16.1). */
const OPEN_TIMEOUT_MS = 30_000;

/** A channel to read, and with what. */
export interface StreamRequest {
  readonly server: string;
  readonly token: string;
  readonly channel: string;
  readonly from: number;
}

async function bodyText(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The open stream. @throws MsgError with the server's code, MSG_BROKER_NOT_READY when there is no answer. */
export async function openStream(
  io: CliEnvironment,
  { server, token, channel, from }: StreamRequest,
  interrupted: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const base = server.replace(/\/+$/, '');
  const query = new URLSearchParams({ channel, from_offset: String(from) });
  const opening = new AbortController();
  const timer = setTimeout(() => opening.abort(), OPEN_TIMEOUT_MS);
  let response: Response;
  try {
    response = await io.fetch(`${base}/sse?${query}`, {
      headers: {
        accept: 'text/event-stream',
        ...defined({ authorization: token === '' ? undefined : `Bearer ${token}` }),
      },
      signal: AbortSignal.any([interrupted, opening.signal]),
    });
  } catch (cause) {
    throw new MsgError('MSG_BROKER_NOT_READY', `no answer from ${base}`, { cause });
  } finally {
    clearTimeout(timer);
  }
  if (response.status !== 200) throw errorOfAnswer(response.status, await bodyText(response));
  if (response.body === null) throw new MsgError('MSG_INTERNAL', 'the stream has no body');
  return response.body;
}

/** Reads the events of a stream until the server ends it; `event` is undefined for publications. */
export async function readEvents(
  io: CliEnvironment,
  body: ReadableStream<Uint8Array>,
  onEvent: (event: string | undefined, data: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent: ({ event, data }) => onEvent(event, data) });
  for await (const piece of body) {
    parser.feed(decoder.decode(piece, { stream: true }));
    await io.outTaken();
  }
}
