import { bytes, str } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';

/** Body of the emulation endpoint (client protocol 3.1, 4.4). */
export interface EmulationRequest {
  /** Node that holds the connection. */
  readonly node: string;
  /** Secret session id. */
  readonly session: string;
  /** Commands: for JSON connections a JSON string of their text, else their bytes. */
  readonly data: Uint8Array | null;
}

export const emulationRequestType: MessageType<EmulationRequest> = new MessageType<EmulationRequest>(
  'EmulationRequest',
  () => ({ node: '', session: '', data: null }),
  () => ({ node: str(1), session: str(2), data: bytes(3) }),
);
