import { join } from 'node:path';
import { type CliEnvironment, isMissingFile, unreadableFile } from './io.ts';

/** Path of the stored login: `~/.msg/credentials`. */
export function credentialsPath(io: CliEnvironment): string {
  return join(io.home(), '.msg', 'credentials');
}

/**
 * The token that a login stored, `''` without one.
 * @throws MsgError MSG_INVALID_ARGUMENT for an unreadable file
 */
export async function readCredentials(io: CliEnvironment): Promise<string> {
  const path = credentialsPath(io);
  try {
    return new TextDecoder().decode(await io.readFile(path)).trim();
  } catch (cause) {
    if (isMissingFile(cause)) return '';
    throw unreadableFile(path, cause);
  }
}
