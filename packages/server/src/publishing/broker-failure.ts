import { MsgError } from '@msg/core';
import { storeFailure } from '../stores/redis/store-failure.ts';

/** Makes a handler that throws the coded error of a broker failure. `what`: "the broker refused the publication". */
export function brokerFailed(what: string): (cause: unknown) => never {
  return cause => {
    const failure = cause instanceof MsgError ? cause : storeFailure(cause);
    if (failure !== undefined) throw failure;
    throw new MsgError('MSG_BROKER_INTERNAL', what, { cause });
  };
}
