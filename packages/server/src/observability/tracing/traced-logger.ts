import { defined } from '@msg/foundation/json';
import type { LogFields, Logger } from '../logger.ts';
import type { Tracing } from './contract.ts';

/** A logger whose records name the current trace; the record of a request already names its own. */
export function tracedLogger(logger: Logger, tracing: Tracing): Logger {
  const traced = (fields: LogFields): LogFields => {
    const { current } = tracing;
    return current === undefined ? fields : { ...fields, trace_id: current.traceId };
  };
  const { debug, httpRequest } = logger;
  return {
    info: (fields, message) => logger.info(traced(fields), message),
    warn: (fields, message) => logger.warn(traced(fields), message),
    error: (fields, message) => logger.error(traced(fields), message),
    ...defined({
      debug:
        debug === undefined
          ? undefined
          : (fields: LogFields, message: string) => debug.call(logger, traced(fields), message),
      httpRequest: httpRequest === undefined ? undefined : httpRequest.bind(logger),
    }),
  };
}
