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
  type Gate,
  type OperationFaultScope,
  type PublicationGate,
} from './faulty-broker.ts';
export { ManualClock } from './manual-clock.ts';
export { PRESENCE_CONTRACT } from './presence-contract.ts';
