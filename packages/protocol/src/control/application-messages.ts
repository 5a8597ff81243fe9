import { bytes, str, u32, u64 } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';

/** A survey of the application among nodes. */
export interface SurveyRequest {
  /** Unique on the asking node. */
  readonly id: number;
  readonly op: string;
  readonly data: Uint8Array | null;
  /** The thread of the receiving node that is asked; empty: that node with all its threads. */
  readonly node: string;
}

/** A node's answer to a survey. */
export interface SurveyResponse {
  readonly id: number;
  /** 0 is success. */
  readonly code: number;
  readonly data: Uint8Array | null;
}

/** The answer of a thread of a node to a survey. The answer of the node itself follows. */
export interface ThreadAnswer {
  readonly id: number;
  /** Id of the thread among nodes. */
  readonly node: string;
  /** 0 is success. */
  readonly code: number;
  readonly data: Uint8Array | null;
}

/** A message of the application between nodes. */
export interface Notification {
  readonly op: string;
  readonly data: Uint8Array | null;
}

export const surveyRequestType: MessageType<SurveyRequest> = new MessageType<SurveyRequest>(
  'SurveyRequest',
  () => ({ id: 0, op: '', data: null, node: '' }),
  () => ({ id: u64(1), op: str(2), data: bytes(3), node: str(100) }),
);

export const surveyResponseType: MessageType<SurveyResponse> = new MessageType<SurveyResponse>(
  'SurveyResponse',
  () => ({ id: 0, code: 0, data: null }),
  () => ({ id: u64(1), code: u32(2), data: bytes(3) }),
);

export const threadAnswerType: MessageType<ThreadAnswer> = new MessageType<ThreadAnswer>(
  'ThreadAnswer',
  () => ({ id: 0, node: '', code: 0, data: null }),
  () => ({ id: u64(1), node: str(2), code: u32(3), data: bytes(4) }),
);

export const notificationType: MessageType<Notification> = new MessageType<Notification>(
  'Notification',
  () => ({ op: '', data: null }),
  () => ({ op: str(1), data: bytes(2) }),
);
