export {
  type BrokerMessage,
  decodeBrokerMessage,
  encodeJoinMessage,
  encodeLeaveMessage,
  encodePositionedDeltaMessage,
  encodePositionedMessage,
  encodePublicationMessage,
  encodeVolatileMessage,
} from './broker-message.ts';
export {
  decodeClientInfo,
  decodePublicationRecord,
  encodeClientInfo,
  encodePublicationRecord,
} from './records.ts';
