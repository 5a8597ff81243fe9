import { MsgError } from '@msg/core';
import type { Payload } from '@msg/engine';
import { PAYLOAD_ENCODING_TAG } from '@msg/engine/internal';
import type { ChannelOptions } from '../channels/channel-options.ts';
import type { ServerPublication } from './publication.ts';

/** Tags that only the service sets (append streams 8.4). */
const OWN_TAGS = 'msg-';

/** @throws MsgError MSG_INVALID_ARGUMENT for a payload that the channel's option `payload` excludes. */
export function requirePayload(
  channel: string,
  options: Pick<ChannelOptions, 'payload'>,
  data: Payload,
): void {
  if (options.payload === 'any' || data.kind === 'json') return;
  const display = data.kind === 'text' ? 'other text' : 'bytes that are not UTF-8';
  throw new MsgError(
    'MSG_INVALID_ARGUMENT',
    `a publication in ${channel} must be JSON (channel option payload); got ${display}`,
  );
}

/**
 * @throws MsgError MSG_INVALID_ARGUMENT for a tag that is not text or that the service sets, and a version that is not a whole
 * number.
 */
export function requireExtras({ tags, extras }: Pick<ServerPublication, 'tags' | 'extras'>): void {
  const { version = 0 } = extras;
  if (!Number.isSafeInteger(version) || version < 0) {
    throw new MsgError('MSG_INVALID_ARGUMENT', 'version must be an integer from 0 to 2^53 - 1');
  }
  if (tags === undefined) return;
  for (const [name, value] of tags) {
    if (typeof value === 'string') continue;
    throw new MsgError('MSG_INVALID_ARGUMENT', `tags.${name} must be a string; got ${typeof value}`);
  }
  if (tags.has(PAYLOAD_ENCODING_TAG)) {
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      `tags must not hold "${PAYLOAD_ENCODING_TAG}": the service sets it on payloads that are not UTF-8`,
    );
  }
  const reserved = [...tags.keys()].find(name => name.startsWith(OWN_TAGS));
  if (reserved === undefined) return;
  const text = `tags must not begin with "${OWN_TAGS}", which are the service's own; got ${JSON.stringify(reserved)}`;
  throw new MsgError('MSG_INVALID_ARGUMENT', text);
}
