import { APPEND_LIMITS } from './limits/append.ts';
import { CLIENT_LIMITS } from './limits/clients.ts';
import { DASH_LIMITS } from './limits/dash.ts';
import { HTTP_LIMITS } from './limits/http.ts';
import { OPERATOR_LIMITS } from './limits/operators.ts';
import { OUTBOX_LIMITS } from './limits/outbox.ts';
import type { LimitRow } from './limits/row.ts';
import { STORE_LIMITS } from './limits/stores.ts';

/** Each row of docs/limits.md by its first cell: the constants that it shows and the tests of what it says. */
export const LIMITS: Readonly<Record<string, LimitRow>> = {
  ...DASH_LIMITS,
  ...HTTP_LIMITS,
  ...CLIENT_LIMITS,
  ...STORE_LIMITS,
  ...OPERATOR_LIMITS,
  ...APPEND_LIMITS,
  ...OUTBOX_LIMITS,
};
