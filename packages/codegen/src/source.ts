import { readFile } from 'node:fs/promises';
import { MsgError } from '@msg/core';
import { type PatternSource, readPatterns } from './snapshot.ts';

const TIMEOUT_MS = 30_000;
const SNAPSHOT_PATH = '/msg/schemas';

/** Where the snapshot comes from. */
export type Source =
  | { readonly kind: 'registry'; readonly url: URL }
  | { readonly kind: 'file'; readonly path: string };

/** The snapshot's address; a bare origin gets the path of the service. @throws MsgError MSG_INVALID_ARGUMENT */
export function registryUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      `--registry: ${JSON.stringify(text)} is no http or https address`,
    );
  // Messages name the address, and a password does not belong into them.
  if (url.username !== '' || url.password !== '')
    throw new MsgError('MSG_INVALID_ARGUMENT', '--registry: the address must not hold a user or password');
  if (url.pathname === '/' && url.search === '') url.pathname = SNAPSHOT_PATH;
  return url;
}

async function fetchText(url: URL): Promise<string> {
  let response: Response;
  let text: string;
  try {
    const headers = { accept: 'application/json' };
    response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    text = await response.text();
  } catch (cause) {
    throw new MsgError('MSG_BROKER_NOT_READY', `no answer from ${url.href}`, { cause });
  }
  if (response.status === 200) return text;
  throw new MsgError('MSG_INTERNAL', `${url.href} answered ${response.status}: ${text.slice(0, 500)}`);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new MsgError('MSG_INVALID_ARGUMENT', `${path} cannot be read`, { cause });
  }
}

/** Reads the patterns. @throws MsgError */
export async function load(source: Source): Promise<readonly PatternSource[]> {
  const text = source.kind === 'file' ? await readText(source.path) : await fetchText(source.url);
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new MsgError('MSG_INVALID_ARGUMENT', 'the snapshot is not JSON', { cause });
  }
  return readPatterns(document);
}
