import { always, bytes, str, textOnly } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';

/**
 * The client that published, joined, left or is present (client protocol 3.2). Visible to every subscriber; JSON leaves
 * out a payload that is not UTF-8.
 */
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
  () => ({
    user: always(str(1)),
    client: always(str(2)),
    connInfo: textOnly(bytes(3)),
    chanInfo: textOnly(bytes(4)),
  }),
);
