import type { Publication, Push, Reply } from '@msg/protocol';
import { type Parts, type RecordedMessage, recorded } from './recorded-message.ts';

function ofPublication({ offset, data, info }: Publication): Parts {
  return {
    members: { offset, user: info?.user ?? '', client: info?.client ?? '' },
    payloads: { data: data.bytes },
  };
}

function ofPush(push: Push): RecordedMessage {
  const {
    channel,
    id: channelId,
    pub,
    join,
    leave,
    unsubscribe,
    message,
    subscribe,
    connect,
    disconnect,
  } = push;
  const where = { channel, channelId };
  if (pub !== null) return recorded('publication', { ...where, ...ofPublication(pub) });
  const info = (join ?? leave)?.info;
  if (join !== null || leave !== null)
    return recorded(join === null ? 'leave' : 'join', {
      ...where,
      members: { user: info?.user ?? '', client: info?.client ?? '' },
      payloads: { conn_info: info?.connInfo, chan_info: info?.chanInfo },
    });
  const end = unsubscribe ?? disconnect;
  if (end !== null)
    return recorded(unsubscribe === null ? 'disconnect' : 'unsubscribe', {
      ...where,
      code: end.code,
      members: { reason: end.reason },
    });
  if (message !== null) return recorded('message', { payloads: { data: message.data } });
  if (subscribe !== null)
    return recorded('subscribe', {
      ...where,
      members: { offset: subscribe.offset, epoch: subscribe.epoch, recoverable: subscribe.recoverable },
      payloads: { data: subscribe.data },
    });
  if (connect !== null) return recorded('connect', { members: { client: connect.client, ttl: connect.ttl } });
  return recorded(push.refresh === null ? 'push' : 'refresh', where);
}

/** What a recording shows of a reply, or of the push in it. */
export function ofReply(reply: Reply): RecordedMessage {
  const { id, error, push, connect, subscribe, history, presence, presenceStats, rpc, refresh, subRefresh } =
    reply;
  if (push !== null) return ofPush(push);
  if (error !== null)
    return recorded('error', {
      id,
      code: error.code,
      members: { message: error.message, temporary: error.temporary },
    });
  // The secret of the emulation endpoint, `session`, is not shown.
  if (connect !== null)
    return recorded('connect', {
      id,
      members: {
        client: connect.client,
        version: connect.version,
        ttl: connect.ttl,
        ping: connect.ping,
        subs: [...connect.subs.keys()],
      },
      payloads: { data: connect.data },
    });
  if (subscribe !== null)
    return recorded('subscribe', {
      id,
      members: {
        channel_id: subscribe.id,
        offset: subscribe.offset,
        epoch: subscribe.epoch,
        recoverable: subscribe.recoverable,
        recovered: subscribe.recovered,
        publications: subscribe.publications.length,
        delta: subscribe.delta,
        ttl: subscribe.ttl,
      },
      payloads: { data: subscribe.data },
    });
  if (history !== null)
    return recorded('history', {
      id,
      members: { offset: history.offset, epoch: history.epoch, publications: history.publications.length },
    });
  if (presence !== null) return recorded('presence', { id, members: { clients: presence.presence.size } });
  if (presenceStats !== null)
    return recorded('presence_stats', {
      id,
      members: { clients: presenceStats.numClients, users: presenceStats.numUsers },
    });
  if (rpc !== null) return recorded('rpc', { id, payloads: { data: rpc.data } });
  if (refresh !== null) return recorded('refresh', { id, members: { ttl: refresh.ttl } });
  if (subRefresh !== null) return recorded('sub_refresh', { id, members: { ttl: subRefresh.ttl } });
  if (reply.unsubscribe !== null) return recorded('unsubscribe', { id });
  if (reply.publish !== null) return recorded('publish', { id });
  return recorded(id === 0 ? 'ping' : 'reply', { id });
}
