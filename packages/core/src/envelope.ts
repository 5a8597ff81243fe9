/** Version of the descriptor envelope; a change is a wire change. */
const FORMAT_VERSION = '1.0';

/** Kinds of descriptor envelopes (messaging details 3.1). */
export type EnvelopeKind =
  | 'msg.manifest'
  | 'msg.channels.list'
  | 'msg.channel.open'
  | 'msg.channel.get'
  | 'msg.channel.credentials'
  | 'msg.channel.touched'
  | 'msg.channel.closed'
  | 'msg.channel.history'
  | 'msg.channel.deleted'
  | 'msg.channel.presence'
  | 'msg.channel.position'
  | 'msg.channel.history_cleared'
  | 'msg.publish.ack'
  | 'msg.publish.many'
  | 'msg.publish.broadcast'
  | 'msg.publish.sink'
  | 'msg.append'
  | 'msg.stream'
  | 'msg.stream.cancelled'
  | 'msg.dlq.list'
  | 'msg.dlq.get'
  | 'msg.dlq.groups'
  | 'msg.dlq.redrive'
  | 'msg.dlq.jobs'
  | 'msg.dlq.job_stopped'
  | 'msg.feed'
  | 'msg.feed.closed'
  | 'msg.tail'
  | 'msg.tail.stopped'
  | 'msg.recording.started'
  | 'msg.recording.get'
  | 'msg.recording.stopped'
  | 'msg.dlq.count'
  | 'msg.dlq.edited'
  | 'msg.dlq.discarded'
  | 'msg.dlq.restored'
  | 'msg.dlq.replayed'
  | 'msg.vapid.generated'
  | 'msg.outbox.migrated'
  | 'msg.outbox.status'
  | 'msg.outbox.run'
  | 'msg.outbox.dead.list'
  | 'msg.outbox.dead.retried'
  | 'msg.outbox.dead.discarded'
  | 'msg.token.refreshed'
  | 'msg.token.access'
  | 'msg.token.mgmt'
  | 'msg.token.revoked'
  | 'msg.token.user_revoked'
  | 'msg.token.inspected'
  | 'msg.authz.explained'
  | 'msg.audit.list'
  | 'msg.channel.presence_list'
  | 'msg.connections.list'
  | 'msg.connection.get'
  | 'msg.connection.disconnected'
  | 'msg.connection.unsubscribed'
  | 'msg.users.list'
  | 'msg.nodes.list'
  | 'msg.whoami'
  | 'msg.api_key.new'
  | 'msg.api_key.created'
  | 'msg.api_key.rotated'
  | 'msg.api_key.revoked'
  | 'msg.api_keys.list'
  | 'msg.keys.list'
  | 'msg.key.generated'
  | 'msg.key.promoted'
  | 'msg.key.retired'
  | 'msg.keys.reloaded'
  | 'msg.keys.usage'
  | 'msg.keys.rotated'
  | 'msg.keys.imported'
  | 'msg.keys.synced'
  | 'msg.schemas.list'
  | 'msg.schemas.get'
  | 'msg.schemas.register'
  | 'msg.schemas.update'
  | 'msg.schemas.deregister'
  | 'msg.schemas.check'
  | 'msg.config.checked'
  | 'msg.config.effective'
  | 'msg.config.running'
  | 'msg.errors.list'
  | 'msg.errors.get'
  | 'msg.health'
  | 'msg.login.oidc'
  | 'msg.logout';

/** The output of commands and of `/manifest`. */
export interface Envelope<Payload extends object = object> {
  readonly code: 'OK';
  /** The kind, in two members, because consumers read one or the other. */
  readonly type: EnvelopeKind;
  readonly kind: EnvelopeKind;
  readonly format_version: string;
  /** RFC 3339. */
  readonly generated_at: string;
  readonly payload: Payload;
}

/** Wraps a payload. `now` is Unix milliseconds. */
export function createEnvelope<Payload extends object>(
  kind: EnvelopeKind,
  payload: Payload,
  now: number,
): Envelope<Payload> {
  return {
    code: 'OK',
    type: kind,
    kind,
    format_version: FORMAT_VERSION,
    generated_at: formatTimestamp(now),
    payload,
  };
}

/** Unix milliseconds as UTC RFC 3339 with three fractional digits. */
export function formatTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
