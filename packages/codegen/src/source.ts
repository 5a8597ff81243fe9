import { readFile } from 'node:fs/promises';
import { UsageError } from '@msg/command-line';
import { display } from '@msg/command-line/internal';
import { MsgError } from '@msg/core';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { type PatternSource, readPatterns } from './snapshot.ts';

const TIMEOUT_MS = 30_000;
const SNAPSHOT_PATH = '/msg/schemas';

/** The source of the snapshot. */
export type Source =
  | { readonly kind: 'registry'; readonly url: URL }
  | { readonly kind: 'file'; readonly path: string };

/** The snapshot's address; an origin without path gets the service's path. @throws UsageError */
export function registryUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--registry must be an http or https address; got ${display(text)}`);
  // Messages contain the address, and must not contain a password.
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--registry must be an address without user and password');
  if (url.pathname === '/' && url.search === '') url.pathname = SNAPSHOT_PATH;
  return url;
}

async function fetchText(url: URL, clock: Clock): Promise<string> {
  let response: Response;
  let text: string;
  try {
    const headers = { accept: 'application/json' };
    response = await fetch(url, { headers, signal: clock.deadline(TIMEOUT_MS) });
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
export async function load(source: Source, clock: Clock = systemClock): Promise<readonly PatternSource[]> {
  const text = source.kind === 'file' ? await readText(source.path) : await fetchText(source.url, clock);
  try {
    return readPatterns(JSON.parse(text));
  } catch (cause) {
    const problem = cause instanceof MsgError ? cause.message : 'the snapshot is not JSON';
    const place = source.kind === 'file' ? source.path : source.url.href;
    throw new MsgError('MSG_INVALID_ARGUMENT', `${place}: ${problem}`, { cause });
  }
}
