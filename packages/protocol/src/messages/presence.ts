import { always, messageMap, str, u32 } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';
import { NO_ENTRIES } from '../schema/zero.ts';
import { type ClientInfo, clientInfoType } from './client-info.ts';

/** Request for the subscribers of a channel (client protocol 7.7). */
export interface PresenceRequest {
  readonly channel: string;
}

/** The subscribers of a channel, by connection id. */
export interface PresenceResult {
  /** By connection id. */
  readonly presence: ReadonlyMap<string, ClientInfo>;
}

/** Request for the number of subscribers (client protocol 7.8). */
export interface PresenceStatsRequest {
  readonly channel: string;
}

/** The number of connections and users in a channel. */
export interface PresenceStatsResult {
  /** Connections. */
  readonly numClients: number;
  /** Distinct users; all anonymous connections are one. */
  readonly numUsers: number;
}

export const presenceRequestType: MessageType<PresenceRequest> = new MessageType<PresenceRequest>(
  'PresenceRequest',
  () => ({ channel: '' }),
  () => ({ channel: str(1) }),
);

export const presenceResultType: MessageType<PresenceResult> = new MessageType<PresenceResult>(
  'PresenceResult',
  () => ({ presence: NO_ENTRIES }),
  () => ({ presence: always(messageMap(1, clientInfoType)) }),
);

export const presenceStatsRequestType: MessageType<PresenceStatsRequest> =
  new MessageType<PresenceStatsRequest>(
    'PresenceStatsRequest',
    () => ({ channel: '' }),
    () => ({ channel: str(1) }),
  );

export const presenceStatsResultType: MessageType<PresenceStatsResult> = new MessageType<PresenceStatsResult>(
  'PresenceStatsResult',
  () => ({ numClients: 0, numUsers: 0 }),
  () => ({ numClients: always(u32(1)), numUsers: always(u32(2)) }),
);
