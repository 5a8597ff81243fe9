import { MsgError } from '@msg/core';
import { StoreError } from '@msg/redis/store-error';

/**
 * The coded error of a command that the shared store did not carry out, or may not have: MSG_BROKER_NOT_READY when
 * nothing happened, so that the caller may repeat it, MSG_BROKER_INTERNAL when the outcome is unknown (messaging
 * details, section 18). Undefined for any other error.
 */
export function storeFailure(error: unknown): MsgError | undefined {
  if (!(error instanceof StoreError)) return undefined;
  return error.mayHaveHappened
    ? new MsgError('MSG_BROKER_INTERNAL', `${error.message}: the outcome of the call is not known`, {
        cause: error,
      })
    : notReady(error);
}

/** As {@link storeFailure}, for work that changes nothing: it can be repeated, whatever became of it. */
export function storeReadFailure(error: unknown): MsgError | undefined {
  return error instanceof StoreError ? notReady(error) : undefined;
}

function notReady(error: StoreError): MsgError {
  return new MsgError('MSG_BROKER_NOT_READY', error.message, { cause: error });
}
