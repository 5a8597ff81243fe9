import type { EnvelopeKind } from '@msg/core';

/** What a person reads in place of a list without entries, and how to make one, by member of the payload. */
export const EMPTY_LISTS: Partial<Readonly<Record<EnvelopeKind, Readonly<Record<string, string>>>>> = {
  'msg.channels.list': {
    channels: 'no channels; open one: msg channels open public:shop.news',
    missing_nodes: 'none',
  },
  'msg.api_keys.list': { keys: 'no API keys; make one: msg api-keys create shop' },
  'msg.dlq.list': { items: 'no dead letters' },
  'msg.dlq.jobs': { jobs: 'no jobs' },
  'msg.dlq.redrive': { samples: 'none', groups: 'none' },
  'msg.dlq.groups': { groups: 'no dead letters' },
  'msg.outbox.status': { held: 'none' },
  'msg.outbox.dead.list': { items: 'no dead rows' },
  'msg.schemas.list': { patterns: 'no channel patterns; add one: msg schemas register --file order.json' },
  'msg.schemas.check': { changes: 'no changes' },
  'msg.connections.list': { connections: 'no connections', missing_nodes: 'none' },
  'msg.keys.usage': { holders: 'none', missing_nodes: 'none' },
  'msg.nodes.list': { hints: 'none', missing_nodes: 'none' },
  'msg.users.list': { users: 'no users', missing_nodes: 'none' },
  'msg.channel.presence_list': { entries: 'no subscribers', missing_nodes: 'none' },
  'msg.recording.get': { frames: 'no frames' },
  'msg.audit.list': { records: 'no records', missing_nodes: 'none' },
  'msg.publish.many': { failed: 'none' },
  'msg.errors.get': { situations: 'none' },
};
