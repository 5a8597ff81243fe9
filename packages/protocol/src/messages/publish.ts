import { EMPTY_PAYLOAD, type Payload } from '../payload/payload.ts';
import { bool, i32, payload, str } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';

/** Publishes into a channel (client protocol 3.4, 7.6). */
export interface PublishRequest {
  readonly channel: string;
  /** Already classified when it came over a JSON connection. Empty when absent. */
  readonly data: Payload;
  /** 0: normal; 1: map. */
  readonly type: number;
  /** Map channels. */
  readonly key: string;
  /** Map channels. */
  readonly removed: boolean;
}

/** Has no members. */
export type PublishResult = Record<never, never>;

export const publishRequestType: MessageType<PublishRequest> = new MessageType<PublishRequest>(
  'PublishRequest',
  () => ({ channel: '', data: EMPTY_PAYLOAD, type: 0, key: '', removed: false }),
  () => ({ channel: str(1), data: payload(2), type: i32(3), key: str(4), removed: bool(5) }),
);

export const publishResultType: MessageType<PublishResult> = new MessageType<PublishResult>(
  'PublishResult',
  () => ({}),
  () => ({}),
);
