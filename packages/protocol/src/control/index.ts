export { decodeControl, encodeControl } from './codec.ts';
export type {
  ControlCommand,
  ControlDisconnect,
  ControlMetrics,
  ControlNode,
  ControlRefresh,
  ControlSubscribe,
  ControlTarget,
  ControlUnsubscribe,
  Notification,
  Shutdown,
  SurveyRequest,
  SurveyResponse,
} from './messages.ts';
