import { isValidName } from '@msg/core';
import type { SpanSpec } from '../observability/tracing/contract.ts';
import type { Publication } from './publication.ts';

/** The span of a publish, for every publisher. An invalid channel name is left out, because a peer chose it. */
export function publishSpan({ channel, payload }: Publication): SpanSpec {
  const size = { 'messaging.message.body.size': payload.bytes.length };
  const attributes = isValidName(channel) ? { 'messaging.destination.name': channel, ...size } : size;
  return { name: 'publish', kind: 'producer', attributes };
}
