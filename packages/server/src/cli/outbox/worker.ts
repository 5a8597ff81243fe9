import { createRpcClient, type RpcClient, renewing } from '@msg/core';
import { CLI_AGENT } from '@msg/core/internal';
import { systemClock, systemRandom } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { OutboxStats } from '@msg/postgres';
import type { OutboxSettings } from '../../config/outbox-settings.ts';
import { readToken } from '../../config/token-text.ts';
import { VERSION } from '../../config/version.ts';
import { processLogger } from '../../observability/process-logger.ts';
import { loadOutbox } from '../../outbox/load.ts';
import { Outbox } from '../../outbox/outbox.ts';
import { outboxOptions } from '../../service/outbox-options.ts';
import { type FiguresServer, serveFigures } from './figures-server.ts';

/** The service that a worker publishes into. */
export interface WorkerService {
  readonly server: string;
  /** Bearer; a management token is renewed. */
  readonly token: string;
  readonly fetch: typeof globalThis.fetch;
}

/** Where the worker's figures are served. */
export interface WorkerFiguresOptions {
  /** `host:port`; empty: nowhere. */
  readonly address: string;
  /** Bearer of `/metrics`; empty: open. */
  readonly metricsToken: string;
}

/**
 * Runs a worker beside a service until the signal is aborted; answers what it did.
 * @throws MsgError MSG_INVALID_ARGUMENT for bad settings, packages that are not installed, and an address that cannot be bound
 */
export async function runWorker(
  settings: OutboxSettings,
  service: WorkerService,
  figures: WorkerFiguresOptions,
  signal: AbortSignal,
): Promise<OutboxStats | undefined> {
  const options = await outboxOptions(settings);
  if (options === undefined) return undefined;
  const rpc = clientOf(service);
  const { rpcPublisher } = await loadOutbox();
  const openChannel = (name: string): Promise<unknown> => rpc.call('OpenPublic', { name });
  const logger = processLogger(systemClock);
  let served: FiguresServer | undefined;
  try {
    const outbox = await Outbox.open(options, {
      msg: rpcPublisher(rpc),
      logger,
      clock: systemClock,
      random: systemRandom,
      ...defined({ openChannel: settings.outboxOpenChannels === 'auto' ? openChannel : undefined }),
    });
    served =
      figures.address === '' ? undefined : await serveFigures(outbox, { ...figures, clock: systemClock });
    const { server } = service;
    const record = { server, schema: settings.outboxSchema, ...defined({ metrics: served?.address }) };
    logger.info(record, 'outbox: working');
    outbox.start();
    await aborted(signal);
    logger.info({}, 'outbox: stopping');
    await outbox.stop();
    return outbox.stats();
  } finally {
    await served?.close();
    logger.flush();
  }
}

function clientOf({ server, token, fetch }: WorkerService): RpcClient {
  const isRenewable = readToken(token)?.claims['typ'] === 'mgmt';
  return createRpcClient<AbortSignal>({
    server,
    token: isRenewable ? renewing(token) : token,
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...init.headers, 'user-agent': CLI_AGENT + VERSION } }),
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
