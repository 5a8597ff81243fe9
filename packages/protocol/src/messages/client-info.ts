import { always, bytes, str } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';

/** Who published, joined, left or is present (client protocol 3.2). Visible to every subscriber. */
export interface ClientInfo {
  /** User id; empty for anonymous. */
  readonly user: string;
  /** Connection id. */
  readonly client: string;
  /** Payload of the connection's credentials. */
  readonly connInfo: Uint8Array | null;
  /** Payload of the subscription. */
  readonly chanInfo: Uint8Array | null;
}

export const clientInfoType: MessageType<ClientInfo> = new MessageType<ClientInfo>(
  'ClientInfo',
  () => ({ user: '', client: '', connInfo: null, chanInfo: null }),
  () => ({ user: always(str(1)), client: always(str(2)), connInfo: bytes(3), chanInfo: bytes(4) }),
);
