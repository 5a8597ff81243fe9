import {
  notificationType,
  surveyRequestType,
  surveyResponseType,
  threadAnswerType,
} from '#src/control/application-messages.ts';
import {
  controlDisconnectType,
  controlRefreshType,
  controlSubscribeType,
  controlUnsubscribeType,
} from '#src/control/connection-messages.ts';
import { controlCommandType } from '#src/control/messages.ts';
import { controlMetricsType, controlNodeType, shutdownType } from '#src/control/node-messages.ts';
import { clientInfoType } from '#src/messages/client-info.ts';
import { commandType } from '#src/messages/command.ts';
import { connectRequestType, connectResultType, dictionaryType } from '#src/messages/connect.ts';
import { emulationRequestType } from '#src/messages/emulation.ts';
import { filterNodeType } from '#src/messages/filter-node.ts';
import { historyRequestType, historyResultType } from '#src/messages/history.ts';
import {
  presenceRequestType,
  presenceResultType,
  presenceStatsRequestType,
  presenceStatsResultType,
} from '#src/messages/presence.ts';
import { publicationType } from '#src/messages/publication.ts';
import { publishRequestType, publishResultType } from '#src/messages/publish.ts';
import {
  connectType,
  disconnectType,
  joinType,
  leaveType,
  messageType,
  pushType,
  refreshType,
  subscribeType,
  unsubscribeType,
} from '#src/messages/push.ts';
import {
  keyedItemType,
  refreshRequestType,
  refreshResultType,
  subRefreshRequestType,
  subRefreshResultType,
  trackBatchType,
} from '#src/messages/refresh.ts';
import { replyErrorType, replyType } from '#src/messages/reply.ts';
import {
  pingRequestType,
  pingResultType,
  rpcRequestType,
  rpcResultType,
  sendRequestType,
} from '#src/messages/rpc.ts';
import { streamPositionType } from '#src/messages/stream-position.ts';
import {
  subscribeRequestType,
  subscribeResultType,
  unsubscribeRequestType,
  unsubscribeResultType,
} from '#src/messages/subscribe.ts';
import type { MessageType } from '#src/schema/message-type.ts';

/** Every message of client protocol 3. */
export const CLIENT_TYPES: readonly MessageType<unknown>[] = [
  commandType,
  replyType,
  pushType,
  replyErrorType,
  emulationRequestType,
  clientInfoType,
  publicationType,
  streamPositionType,
  filterNodeType,
  dictionaryType,
  keyedItemType,
  trackBatchType,
  joinType,
  leaveType,
  unsubscribeType,
  messageType,
  subscribeType,
  connectType,
  disconnectType,
  refreshType,
  connectRequestType,
  connectResultType,
  subscribeRequestType,
  subscribeResultType,
  refreshRequestType,
  refreshResultType,
  subRefreshRequestType,
  subRefreshResultType,
  unsubscribeRequestType,
  unsubscribeResultType,
  publishRequestType,
  publishResultType,
  presenceRequestType,
  presenceResultType,
  presenceStatsRequestType,
  presenceStatsResultType,
  historyRequestType,
  historyResultType,
  pingRequestType,
  pingResultType,
  rpcRequestType,
  rpcResultType,
  sendRequestType,
];

/** Every message of client protocol 17. */
export const CONTROL_TYPES: readonly MessageType<unknown>[] = [
  controlCommandType,
  controlNodeType,
  controlMetricsType,
  controlUnsubscribeType,
  controlDisconnectType,
  controlSubscribeType,
  controlRefreshType,
  surveyRequestType,
  surveyResponseType,
  threadAnswerType,
  notificationType,
  shutdownType,
  filterNodeType,
  streamPositionType,
];
