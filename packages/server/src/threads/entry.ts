import { workerData } from 'node:worker_threads';
import type { LinkEnd } from '@msg/engine/threads';
import { systemClock } from '@msg/foundation/clock';
import { LineBatch } from '../observability/line-batch.ts';
import { lineLogger } from '../observability/line-logger.ts';
import { STORE_ERRORS } from '../stores/threads/errors.ts';
import { threadStores } from '../stores/threads/thread-stores.ts';
import { PortCalls } from './port-calls.ts';
import { SessionService } from './session-service.ts';
import type { ThreadData } from './thread-data.ts';

/** The program of a session thread. An error that no part catches ends the thread: main starts another one. */
const data = workerData as ThreadData;
const batch = new LineBatch({ write: text => calls.send('lines', text) }, systemClock);
const logger = lineLogger(line => batch.write(line), systemClock, { thread: data.number });
const calls = new PortCalls({ port: data.calls, errors: STORE_ERRORS, onError: reportError });

function reportError(error: unknown): void {
  logger.error({ error: String(error) }, 'internal failure');
}

const stopping = new AbortController();
const stopped = Promise.withResolvers<void>();
calls.handle('stop', () => {
  stopping.abort();
  return stopped.promise;
});
let link: LinkEnd | undefined;
let service: SessionService | undefined;
const stores = threadStores(data.link, {
  trace: data.options.otlpEndpoint ? () => service?.traceparent : undefined,
  onLinked: end => {
    link = end;
  },
});
const waitingBytes = (): number => link?.waitingBytes ?? 0;
service = await SessionService.open(data, { calls, logger, stores, waitingBytes });
await service.run(stopping.signal, () => calls.send('ready'));
batch.flush();
stopped.resolve(); // main ends the thread
