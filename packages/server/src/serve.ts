import { createServer, type Server } from 'node:http';
import { formatTimestamp } from '@msg/core';
import { systemClock } from '@msg/engine';
import type { ServeSettings } from './config/serve-settings.ts';
import { formatAddress, listen, parseListenAddress } from './http/listener.ts';
import { Msg } from './msg.ts';
import { lineLogger } from './observability/line-logger.ts';
import { SHUTDOWN_GRACE_MS } from './options.ts';

/** A request's headers must be there within this time (messaging details, section 11). */
const HEADERS_TIMEOUT_MS = 5000;

export interface ServeOutput {
  /** Print the running instance's manifest once the listener is bound. */
  readonly printManifest: boolean;
  out(text: string): void;
  err(text: string): void;
}

/** Resolves with the first SIGINT or SIGTERM; a second one ends the process with code 1 at once. */
function termination(): { readonly signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    dispose() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}

async function closeServer(server: Server, budgetMs: number): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()));
  const timer = systemClock.setTimeout(() => server.closeAllConnections(), budgetMs);
  await closed;
  systemClock.clearTimeout(timer);
}

/**
 * Runs the service as a process until a signal asks it to end: bootstrap token and listening record on stderr, exit
 * within 6 s of the signal. Source: messaging details 16.3.
 * @throws MsgError when the configuration is bad or the address is taken.
 */
export async function serveProcess(settings: ServeSettings, output: ServeOutput): Promise<void> {
  const logger = lineLogger(output.err, systemClock);
  const address = parseListenAddress(settings.addr);
  const msg = await Msg.create({ stateDir: settings.stateDir, noAuth: settings.noAuth, logger });
  const bootstrap = msg.bootstrapToken(settings.mgmtSubject, settings.mgmtTtl);
  const server = createServer({ headersTimeout: HEADERS_TIMEOUT_MS }, msg.handler());
  msg.attach(server);
  const { signal, dispose } = termination();
  try {
    const bound = await listen(server, address);
    const running = msg.run(signal);
    await msg.ready();
    if (settings.noAuth)
      logger.warn({}, 'no-auth: the management RPC is unauthenticated, for development only');
    const expires = formatTimestamp(bootstrap.expiresUnix * 1000);
    output.err(`msg serve: bootstrap mgmt token (expires ${expires}):\n${bootstrap.token}\n\n`);
    logger.info(
      {
        addr: formatAddress(bound),
        state_dir: settings.stateDir,
        keyring_path: msg.keyring.location,
        active_key_id: msg.keyring.active.id,
      },
      'listening',
    );
    if (output.printManifest) output.out(`${JSON.stringify(msg.manifest(), null, 2)}\n`);
    signal.addEventListener('abort', () => server.close());
    await running;
    logger.info({}, 'stopped');
  } finally {
    await closeServer(server, SHUTDOWN_GRACE_MS);
    dispose();
  }
}
