import { str, u64 } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';

/** A position in a channel's stream (client protocol 3.2). */
export interface StreamPosition {
  /** Offset of the last publication before the position; 0 is the beginning. */
  readonly offset: number;
  /** Identifies the numbering of the stream. */
  readonly epoch: string;
}

export const streamPositionType: MessageType<StreamPosition> = new MessageType<StreamPosition>(
  'StreamPosition',
  () => ({ offset: 0, epoch: '' }),
  () => ({ offset: u64(1), epoch: str(2) }),
);
