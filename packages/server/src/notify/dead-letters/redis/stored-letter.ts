import { formatTimestamp } from '@msg/core/internal';
import { defined, isRecord } from '@msg/foundation/json';
import type { DeadLetter, LetterEdit, NewDeadLetter } from '../contract.ts';

/** A letter in the form of the stream (messaging details 12.3). */
export function itemText(letter: NewDeadLetter): string {
  return JSON.stringify({
    sink: letter.sink,
    at: formatTimestamp(letter.parkedAt),
    channel: letter.channel,
    recipient: letter.recipient ?? null,
    message: messageMembers(letter),
    attempts: letter.attempts,
    last_error: letter.lastError,
  });
}

function messageMembers({ message: { subject, body, metadata } }: Pick<DeadLetter, 'message'>): object {
  return { Subject: subject, Body: body, Metadata: metadata };
}

/** What failed replays and changes made of a letter; it is stored beside the stream. */
export function stateText(letter: DeadLetter): string {
  const { attempts, lastError, recipient, edits } = letter;
  const replayed = { attempts, last_error: lastError };
  if (edits === undefined) return JSON.stringify(replayed);
  return JSON.stringify({
    ...replayed,
    recipient: recipient ?? null,
    message: messageMembers(letter),
    edits: edits.map(({ by, at }) => ({ by, at: formatTimestamp(at) })),
  });
}

function editsOf(value: unknown): readonly LetterEdit[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map(members).map(({ by, at }) => ({ by: text(by), at: Date.parse(text(at)) || 0 }));
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
  const edits = editsOf(replayed['edits']);
  const content = edits === undefined ? letter : replayed;
  const message = members(content['message'] ?? content['Message']);
  const member = (name: string): unknown => message[name] ?? message[name.toLowerCase()];
  const metadata = Object.entries(members(member('Metadata'))).map(([key, value]) => [key, text(value)]);
  return {
    id,
    sink,
    channel: text(letter['channel']),
    recipient: content['recipient'] ?? null,
    message: {
      subject: text(member('Subject')),
      body: text(member('Body')),
      metadata: Object.fromEntries(metadata),
    },
    attempts: Number(replayed['attempts'] ?? letter['attempts'] ?? 0),
    lastError: text(replayed['last_error'] ?? letter['last_error']),
    // Without a readable time, the time in the id counts.
    parkedAt: Date.parse(text(letter['at'])) || Number(id.split('-', 1)[0]),
    ...defined({ edits }),
  };
}
