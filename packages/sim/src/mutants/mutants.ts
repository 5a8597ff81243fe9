import { COMPANY_MUTANTS } from './company.ts';
import { DELIVERY_MUTANTS } from './delivery.ts';
import { FAIL_OVER_MUTANTS } from './fail-overs.ts';
import type { Mutant } from './mutant.ts';
import { OUTBOX_MUTANTS } from './outbox.ts';
import { SERVICE_MUTANTS } from './service.ts';
import { STANDARD_MUTANTS } from './standard.ts';
import { STREAM_MUTANTS } from './streams.ts';
import { TRANSPORT_MUTANTS } from './transports.ts';

/** Every planted bug. */
export const MUTANTS: readonly Mutant[] = [
  ...STREAM_MUTANTS,
  ...DELIVERY_MUTANTS,
  ...OUTBOX_MUTANTS,
  ...TRANSPORT_MUTANTS,
  ...COMPANY_MUTANTS,
  ...FAIL_OVER_MUTANTS,
  ...STANDARD_MUTANTS,
  ...SERVICE_MUTANTS,
];
