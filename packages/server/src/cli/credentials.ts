import { join } from 'node:path';
import { MsgError } from '@msg/core';
import { type CliIo, isMissingFile } from './io.ts';

/** Where a login is stored: `~/.msg/credentials`. */
export function credentialsPath(io: CliIo): string {
  return join(io.home(), '.msg', 'credentials');
}

/**
 * The token that a login stored, `''` without one.
 * @throws MsgError MSG_INVALID_ARGUMENT when the file is there and cannot be read.
 */
export async function readCredentials(io: CliIo): Promise<string> {
  const path = credentialsPath(io);
  try {
    return new TextDecoder().decode(await io.readFile(path)).trim();
  } catch (cause) {
    if (isMissingFile(cause)) return '';
    throw new MsgError('MSG_INVALID_ARGUMENT', `${path} cannot be read`, { cause });
  }
}
