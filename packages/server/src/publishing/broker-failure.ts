import { MsgError } from '@msg/core';
import { storeFailure } from '../stores/redis/store-failure.ts';

/** Throws the coded error of something that the broker did not do. `what`: "the broker refused the publication". */
export function brokerFailed(what: string): (cause: unknown) => never {
  return cause => {
    const failure = cause instanceof MsgError ? cause : storeFailure(cause);
    if (failure !== undefined) throw failure;
    throw new MsgError('MSG_BROKER_INTERNAL', what, { cause });
  };
}
