import { isValidName } from '@msg/core';
import type { AroundPublish } from '@msg/engine';
import type { SpanSpec, Tracing } from '../observability/tracing/contract.ts';

/** The span of a publish of any caller. An invalid channel name is not an attribute: callers choose its text. */
export function publishSpan(channel: string, { length }: Uint8Array): SpanSpec {
  const size = { 'messaging.message.body.size': length };
  const attributes = isValidName(channel) ? { 'messaging.destination.name': channel, ...size } : size;
  return { name: 'publish', kind: 'producer', attributes };
}

/** Every publish of a client is a span. Its commands carry no trace to continue, so it begins one. */
export function tracedPublish(tracing: Tracing): AroundPublish {
  return ({ channel, data }, work) => tracing.span(publishSpan(channel, data), work);
}
