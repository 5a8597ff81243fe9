import { APPEND_ENDS } from './broker/append-ends.ts';
import { APPEND_RENEWAL } from './broker/append-renewal.ts';
import { APPENDS } from './broker/appending.ts';
import { POSITIONS } from './broker/positions.ts';
import { PUBLISHING } from './broker/publishing.ts';
import { RENEWAL } from './broker/renewal.ts';
import { RETENTION } from './broker/retention.ts';
import type { BrokerSubject } from './broker/subject.ts';
import { SUPPRESSION } from './broker/suppression.ts';
import type { ContractCase } from './contract-case.ts';
import { LOOKING } from './looking-contract.ts';

/** Everything a broker promises to its node. */
export const BROKER_CONTRACT: readonly ContractCase<BrokerSubject>[] = [
  ...PUBLISHING,
  ...SUPPRESSION,
  ...RETENTION,
  ...RENEWAL,
  ...LOOKING,
];

/** What a broker with append streams promises besides. */
export const APPEND_CONTRACT: readonly ContractCase<BrokerSubject>[] = [
  ...APPENDS,
  ...APPEND_ENDS,
  ...APPEND_RENEWAL,
];

/** What a broker promises besides whose streams are at hand: it answers `position`. */
export const POSITION_CONTRACT: readonly ContractCase<BrokerSubject>[] = POSITIONS;
