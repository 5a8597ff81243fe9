import { formatTimestamp } from '@msg/core/internal';
import { isRecord } from '@msg/foundation/json';
import type { DeadLetter, NewDeadLetter, ReplayFailure } from '../contract.ts';

/** A letter in the form of the stream (messaging details 12.3). */
export function itemText(letter: NewDeadLetter): string {
  const { subject, body, metadata } = letter.message;
  return JSON.stringify({
    sink: letter.sink,
    at: formatTimestamp(letter.parkedAt),
    channel: letter.channel,
    recipient: letter.recipient ?? null,
    message: { Subject: subject, Body: body, Metadata: metadata },
    attempts: letter.attempts,
    last_error: letter.lastError,
  });
}

/** The result of a failed replay, which is stored beside the stream. */
export function stateText({ attempts, lastError }: ReplayFailure): string {
  return JSON.stringify({ attempts, last_error: lastError });
}

type Members = Readonly<Record<string, unknown>>;

function members(value: unknown): Members {
  return isRecord(value) ? { ...value } : {};
}

function parsed(text: string): Members {
  try {
    return members(JSON.parse(text));
  } catch {
    return {};
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Reads a letter; members may be missing, and those of the message in either case. */
export function readLetter(id: string, sink: string, item: string, state: string | null): DeadLetter {
  const letter = parsed(item);
  const replayed = state === null ? {} : parsed(state);
  const message = members(letter['message'] ?? letter['Message']);
  const member = (name: string): unknown => message[name] ?? message[name.toLowerCase()];
  const metadata = Object.entries(members(member('Metadata'))).map(([key, value]) => [key, text(value)]);
  return {
    id,
    sink,
    channel: text(letter['channel']),
    recipient: letter['recipient'] ?? null,
    message: {
      subject: text(member('Subject')),
      body: text(member('Body')),
      metadata: Object.fromEntries(metadata),
    },
    attempts: Number(replayed['attempts'] ?? letter['attempts'] ?? 0),
    lastError: text(replayed['last_error'] ?? letter['last_error']),
    // Without a readable time, the time in the id counts.
    parkedAt: Date.parse(text(letter['at'])) || Number(id.split('-', 1)[0]),
  };
}
