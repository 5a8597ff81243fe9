import type { EnvelopeKind } from '@msg/core';

/** What a person reads in place of a list without entries, and how to make one, by member of the payload. */
export const EMPTY_LISTS: Partial<Readonly<Record<EnvelopeKind, Readonly<Record<string, string>>>>> = {
  'msg.channels.list': { channels: 'no channels; open one: msg channels open public:shop.news' },
  'msg.api_keys.list': { keys: 'no API keys; make one: msg api-keys create shop' },
  'msg.dlq.list': { items: 'no dead letters' },
  'msg.schemas.list': { patterns: 'no channel patterns; add one: msg schemas register --file order.json' },
  'msg.schemas.check': { changes: 'no changes' },
  'msg.publish.many': { failed: 'none' },
  'msg.errors.get': { situations: 'none' },
};
