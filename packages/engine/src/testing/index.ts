export { ManualClock } from '@msg/foundation/clock/testing';
export {
  BROKER_CONTRACT,
  type BrokerSubject,
  RecordedEvents,
  type RecordedPublication,
} from './broker-contract.ts';
export type { ContractCase } from './contract-case.ts';
export {
  answerSurvey,
  CONTROL_CONTRACT,
  type ControlledNode,
  type ControlSubject,
} from './control-contract.ts';
export {
  type BrokerOperation,
  type Fault,
  type FaultScope,
  FaultyBroker,
  type OperationFaultScope,
  type PauseControl,
  type PublicationPause,
} from './faulty-broker.ts';
export { PRESENCE_CONTRACT } from './presence-contract.ts';
