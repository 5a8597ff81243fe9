import { isMsgCode, MsgError } from '@msg/core';

/** The stock client's code of a call that got no connection, or no answer, in time. */
const TIMEOUT = 1;

/** The coded error of a stock client's error, whose message starts with the server's code. */
export function codedError(error: unknown): MsgError {
  const { message = '', code: stockCode } = Object(error) as { message?: string; code?: number };
  if (stockCode === TIMEOUT)
    return new MsgError('MSG_BROKER_NOT_READY', 'no connection or no answer in time', { cause: error });
  const code = /^(MSG_[A-Z_]+): /.exec(message)?.[1];
  return new MsgError(isMsgCode(code) ? code : 'MSG_INTERNAL', message || 'the stock client failed', {
    cause: error,
  });
}
