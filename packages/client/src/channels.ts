import { type ChannelName, parseName, type Visibility } from '@msg/core';

export { type ChannelName, isValidName, MsgError, parseName, type Visibility } from '@msg/core';

/** Builds a channel name. @throws MsgError MSG_CHANNEL_INVALID */
export function buildName(visibility: Visibility, ...segments: readonly string[]): string {
  return parseName(`${visibility}:${segments.join('.')}`).text;
}

/** The text of a parsed name. */
export function formatName({ visibility, segments }: Pick<ChannelName, 'visibility' | 'segments'>): string {
  return `${visibility}:${segments.join('.')}`;
}

/** True for a name that needs an access token. @throws MsgError MSG_CHANNEL_INVALID */
export function isPrivate(name: string): boolean {
  return parseName(name).visibility === 'private';
}
