import { message, str } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';
import {
  type Notification,
  notificationType,
  type SurveyRequest,
  type SurveyResponse,
  surveyRequestType,
  surveyResponseType,
  type ThreadAnswer,
  threadAnswerType,
} from './application-messages.ts';
import {
  type ControlDisconnect,
  type ControlRefresh,
  type ControlSubscribe,
  type ControlUnsubscribe,
  controlDisconnectType,
  controlRefreshType,
  controlSubscribeType,
  controlUnsubscribeType,
} from './connection-messages.ts';
import { type ControlNode, controlNodeType, type Shutdown, shutdownType } from './node-messages.ts';

/** One message between nodes (client protocol 17). One of the nullable members is set. */
export interface ControlCommand {
  /** Node that sent it. */
  readonly uid: string;
  readonly node: ControlNode | null;
  readonly unsubscribe: ControlUnsubscribe | null;
  readonly disconnect: ControlDisconnect | null;
  readonly shutdown: Shutdown | null;
  readonly surveyRequest: SurveyRequest | null;
  readonly surveyResponse: SurveyResponse | null;
  readonly subscribe: ControlSubscribe | null;
  readonly notification: Notification | null;
  readonly refresh: ControlRefresh | null;
  readonly threadAnswer: ThreadAnswer | null;
}

export const controlCommandType: MessageType<ControlCommand> = new MessageType<ControlCommand>(
  'Command',
  () => ({
    uid: '',
    node: null,
    unsubscribe: null,
    disconnect: null,
    shutdown: null,
    surveyRequest: null,
    surveyResponse: null,
    subscribe: null,
    notification: null,
    refresh: null,
    threadAnswer: null,
  }),
  () => ({
    uid: str(1),
    node: message(4, controlNodeType),
    unsubscribe: message(5, controlUnsubscribeType),
    disconnect: message(6, controlDisconnectType),
    shutdown: message(7, shutdownType),
    surveyRequest: message(8, surveyRequestType),
    surveyResponse: message(9, surveyResponseType),
    subscribe: message(10, controlSubscribeType),
    notification: message(11, notificationType),
    refresh: message(12, controlRefreshType),
    // Ours, as everything from 100 on: a node that does not know it leaves it out.
    threadAnswer: message(100, threadAnswerType),
  }),
);
