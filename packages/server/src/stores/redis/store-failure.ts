import { MsgError, type Situation } from '@msg/core';
import { defined } from '@msg/foundation/json';
import { StoreError } from '@msg/redis/internal';

/**
 * The coded error of a failed command of the shared store: MSG_BROKER_NOT_READY when the store did not execute it, so
 * that the caller may repeat it, MSG_BROKER_INTERNAL when the outcome is unknown (messaging details, section 18).
 * Undefined for any other error.
 */
export function storeFailure(error: unknown): MsgError | undefined {
  if (!(error instanceof StoreError)) return undefined;
  return error.mayHaveHappened
    ? new MsgError('MSG_BROKER_INTERNAL', `${error.message}: the outcome of the call is not known`, {
        cause: error,
      })
    : notReady(error);
}

/** As {@link storeFailure}, for a command that changes nothing and can always be repeated. */
export function storeReadFailure(error: unknown): MsgError | undefined {
  return error instanceof StoreError ? notReady(error) : undefined;
}

function notReady(error: StoreError): MsgError {
  return new MsgError('MSG_BROKER_NOT_READY', error.message, {
    cause: error,
    ...defined({ situation: storeSituation(error) }),
  });
}

const CREDENTIALS: ReadonlySet<string> = new Set(['NOAUTH', 'WRONGPASS', 'NOPERM']);
const READ_ONLY: ReadonlySet<string> = new Set(['READONLY', 'OOM', 'MISCONF', 'NOREPLICAS']);

/** The situation of a store that cannot be used, if it is known. */
export function storeSituation(error: unknown): Situation | undefined {
  if (error instanceof MsgError) return error.situation;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ECONNREFUSED') return { name: 'redisRefused' };
  if (CREDENTIALS.has(code)) return { name: 'redisPassword' };
  return READ_ONLY.has(code) ? { name: 'redisReadOnly' } : undefined;
}
