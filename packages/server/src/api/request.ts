import { isUtf8 } from 'node:buffer';
import { MalformedRequest } from '@msg/core/internal';
import { EACH, isRecord, keepSource } from '@msg/foundation/json';
import { requireBoundedJson } from '../http/json-bounds.ts';
import { SOURCES } from './commands/table.ts';
import type { Members } from './members.ts';

/** A body that the path does not accept: 400, and no command runs. */
export class BadBody extends Error {
  override readonly name = 'BadBody';

  constructor(problem = 'the body must be JSON') {
    super(problem);
  }
}

/**
 * The text of a body. @throws BadBody for a body that is not UTF-8, or whose JSON costs far more to parse than to send
 */
export function textOfBody(body: Buffer): string {
  if (!isUtf8(body)) throw new BadBody('the body must be UTF-8');
  const text = body.toString('utf8');
  try {
    requireBoundedJson(text);
  } catch (error) {
    if (error instanceof MalformedRequest) throw new BadBody(error.message);
    throw error;
  }
  return text;
}

/**
 * Parses a JSON object; values that reach subscribers are kept as the text that they have in it.
 * @param nameOf the command that the object holds
 * @param path where in the object its members are
 * @throws BadBody
 */
export function readJson(
  text: string,
  nameOf: (parsed: Members) => string,
  path: readonly string[] = [],
): Members {
  const parsed = parse(text);
  for (const member of SOURCES[nameOf(parsed)] ?? []) keepSource(text, parsed, [...path, member]);
  return parsed;
}

/** As {@link readJson}, for a batch. */
export function readBatch(text: string): Members {
  const parsed = parse(text);
  for (const [name, members] of Object.entries(SOURCES)) {
    for (const member of members) keepSource(text, parsed, ['commands', EACH, name, member]);
  }
  return parsed;
}

function parse(text: string): Members {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new BadBody();
  }
  if (!isRecord(parsed)) throw new BadBody('the body must be one JSON object');
  return parsed;
}
