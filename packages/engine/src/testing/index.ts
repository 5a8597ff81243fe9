export { ManualClock } from '@msg/foundation/clock/testing';
export { RecordedEvents, type RecordedPublication } from './broker/recorded-events.ts';
export type { BrokerSubject } from './broker/subject.ts';
export { APPEND_CONTRACT, BROKER_CONTRACT, POSITION_CONTRACT } from './broker-contract.ts';
export type { ContractCase } from './contract-case.ts';
export {
  answerSurvey,
  CONTROL_CONTRACT,
  type ControlledNode,
  type ControlSubject,
} from './control-contract.ts';
export type {
  BrokerOperation,
  Fault,
  FaultScope,
  OperationFaultScope,
  PauseControl,
  PublicationPause,
} from './fault.ts';
export { FaultyBroker } from './faulty-broker.ts';
export { LINK_CONTRACT, LINK_TEST_ERRORS, type LinkSubject } from './link-contract.ts';
export { PRESENCE_CONTRACT } from './presence-contract.ts';
