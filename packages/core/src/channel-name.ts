import { MsgError } from './errors.ts';

/** The first part of a name: `public` channels are open to anyone, `private` ones need a token. */
export type Visibility = 'public' | 'private';

/** A parsed channel name. `text` is the name unchanged: nothing is normalised. */
export interface ChannelName {
  readonly text: string;
  readonly visibility: Visibility;
  /** `app`, `domain`, then `id` and `topic` if present. */
  readonly segments: readonly string[];
}

/** Longest channel name in bytes; names are ASCII, so characters. Equals the client protocol's own limit. */
export const MAX_NAME_LENGTH = 255;

const APP = /^[a-z0-9-]+$/;
const SEGMENT = /^[a-z0-9_-]+$/;

/** True for a segment after the first: lower-case ASCII letters, digits, `-`, `_`. */
export function isSegment(text: string): boolean {
  return SEGMENT.test(text);
}

function problem(text: string): string | ChannelName {
  if (text.length > MAX_NAME_LENGTH) return `longer than ${MAX_NAME_LENGTH} bytes`;
  const colon = text.indexOf(':');
  if (colon < 0) return 'no visibility, expected public: or private:';
  const visibility = text.slice(0, colon);
  if (visibility !== 'public' && visibility !== 'private') return 'visibility must be public or private';
  const segments = text.slice(colon + 1).split('.');
  const fewest = visibility === 'private' ? 3 : 2;
  if (segments.length < fewest || segments.length > 4) {
    return visibility === 'private'
      ? 'a private name has 3 or 4 segments: app.domain.id[.topic]'
      : 'a public name has 2 to 4 segments: app.domain[.id][.topic]';
  }
  for (const [index, segment] of segments.entries()) {
    if (index === 0 ? !APP.test(segment) : !SEGMENT.test(segment)) {
      return 'segments are lower-case letters, digits and "-" (after the first also "_")';
    }
  }
  return { text, visibility, segments };
}

/**
 * Parses a channel name: `<visibility>:<app>.<domain>[.<id>][.<topic>]`.
 * @throws MsgError MSG_CHANNEL_INVALID. Source: messaging details 4.1.
 */
export function parseName(text: string): ChannelName {
  const result = problem(text);
  if (typeof result !== 'string') return result;
  const excerpt = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  throw new MsgError('MSG_CHANNEL_INVALID', `channel name ${JSON.stringify(excerpt)} is invalid: ${result}`);
}

/** True when {@link parseName} would accept the text. */
export function isValidName(text: string): boolean {
  return typeof problem(text) !== 'string';
}

/**
 * Joins a visibility and segments into a name.
 * @throws MsgError MSG_CHANNEL_INVALID when the result violates the grammar.
 */
export function buildName(visibility: Visibility, ...segments: readonly string[]): string {
  return parseName(`${visibility}:${segments.join('.')}`).text;
}

/** The text of a parsed name. */
export function formatName(name: Pick<ChannelName, 'visibility' | 'segments'>): string {
  return `${name.visibility}:${name.segments.join('.')}`;
}
