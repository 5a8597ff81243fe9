import { always, bool, i32, message, messages, str, u64 } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';
import { NO_ITEMS } from '../schema/zero.ts';
import { type Publication, publicationType } from './publication.ts';
import { type StreamPosition, streamPositionType } from './stream-position.ts';

/** Request for retained publications (client protocol 3.4, 7.9). */
export interface HistoryRequest {
  readonly channel: string;
  /** 0: only the position; negative: everything. */
  readonly limit: number;
  /** Exclusive start; null: from the oldest, or the newest when reversed. */
  readonly since: StreamPosition | null;
  /** Newest first. */
  readonly reverse: boolean;
}

/** Publications and the top of the stream. */
export interface HistoryResult {
  readonly publications: readonly Publication[];
  readonly epoch: string;
  readonly offset: number;
}

export const historyRequestType: MessageType<HistoryRequest> = new MessageType<HistoryRequest>(
  'HistoryRequest',
  () => ({ channel: '', limit: 0, since: null, reverse: false }),
  () => ({ channel: str(1), limit: i32(7), since: message(8, streamPositionType), reverse: bool(9) }),
);

export const historyResultType: MessageType<HistoryResult> = new MessageType<HistoryResult>(
  'HistoryResult',
  () => ({ publications: NO_ITEMS, epoch: '', offset: 0 }),
  () => ({
    publications: always(messages(1, publicationType)),
    epoch: always(str(2)),
    offset: always(u64(3)),
  }),
);
