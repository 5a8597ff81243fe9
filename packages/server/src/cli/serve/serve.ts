import { writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { join, resolve } from 'node:path';
import { formatTimestamp } from '@msg/core/internal';
import { systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { ManagementToken } from '../../auth/tokens/management.ts';
import type { ListenAddress } from '../../config/listen-address.ts';
import type { RunningSetting } from '../../config/running-setting.ts';
import type { ServeSettings } from '../../config/serve-settings.ts';
import {
  formatAddress,
  isLoopback,
  listen,
  parseListenAddress,
  requireLoopback,
  servedHosts,
} from '../../http/bind.ts';
import { closeServer, createOwnServer } from '../../http/own-server.ts';
import { SHUTDOWN_GRACE_MS } from '../../http/timeouts.ts';
import { Msg } from '../../msg.ts';
import { labelledLogger } from '../../observability/labelled-logger.ts';
import { errorFields, type Logger } from '../../observability/logger.ts';
import { processLogger } from '../../observability/process-logger.ts';
import { msgOptions, type ServeConfig } from '../../service/settings-options.ts';
import { processSignals } from './process-signals.ts';

/** What a server runs with. */
export interface RunningServeConfig extends ServeConfig {
  /** The settings with the layers that they come from. */
  readonly running: readonly RunningSetting[];
}

export interface ServeOutput {
  /** Print the running instance's manifest once the listener is bound. */
  readonly printManifest: boolean;
  out(text: string): void;
  err(text: string): void;
}

/** Writes a `.gitignore` into the state directory, unless it has one. */
async function ignoreInGit(stateDir: string): Promise<void> {
  await writeFile(join(stateDir, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => {});
}

/** The server prints a token only here. */
function printBootstrapToken({ token, expiresUnix }: ManagementToken, err: ServeOutput['err']): void {
  err(`msg serve: bootstrap mgmt token (expires ${formatTimestamp(expiresUnix * 1000)}):\n${token}\n\n`);
}

function announce(msg: Msg, { settings, source }: ServeConfig, bound: AddressInfo, logger: Logger): void {
  if (source !== undefined) logger.info({ path: source }, 'msg serve: loaded config');
  if (settings.noAuth)
    logger.warn({}, 'no-auth: the management RPC is unauthenticated, for development only');
  logger.info(
    {
      addr: formatAddress(bound),
      state_dir: settings.stateDir,
      keyring_path: msg.keys.location,
      active_key_id: msg.keys.activeId,
    },
    'listening',
  );
}

/** Prints where the console is and how to sign in. */
function printConsole(settings: ServeSettings, bound: AddressInfo, err: ServeOutput['err']): void {
  const { consoleOrigin, basePath, noAuth } = settings;
  const base = consoleOrigin === '' ? `http://${formatAddress(bound)}${basePath}` : consoleOrigin;
  const how = noAuth ? 'without a sign-in: --no-auth' : 'sign in with the token above';
  err(`console: ${base.replace(/\/$/, '')}/console (${how})\n\n`);
}

/** Prints what `--dev` means, and the state directory. */
function printDevMode({ stateDir }: ServeSettings, bound: AddressInfo, err: ServeOutput['err']): void {
  err(
    `${[
      'msg serve: development mode, for this machine only',
      `  address   http://${formatAddress(bound)}`,
      '  origins   pages of any loopback origin may connect',
      `  state     ${resolve(stateDir)}, so that tokens survive a restart`,
      '  requests  unknown members are refused',
    ].join('\n')}\n\n`,
  );
}

/**
 * Runs the service as a process until a signal ends it: prints the bootstrap token and the listening record on stderr,
 * and exits within 6 s of the signal. Source: messaging details 16.3.
 * @throws MsgError when the configuration is bad or the address is taken.
 */
export async function serveProcess(config: RunningServeConfig, output: ServeOutput): Promise<void> {
  const { settings } = config;
  const address = parseListenAddress(settings.addr);
  if (settings.dev) await requireLoopback(address);
  const processLog = processLogger(systemClock);
  const { region } = settings;
  const logger = region === '' ? processLog : labelledLogger(processLog, { region });
  try {
    const allowedHosts = await servedHosts(address, settings.allowedHosts);
    const msg = await Msg.create({
      ...(await msgOptions(config, { logger, isLoopback: await isLoopback(address) })),
      threads: settings.threads,
      settings: config.running,
      ...defined({ allowedHosts }),
    });
    if (settings.dev && settings.stateDir !== '') await ignoreInGit(settings.stateDir);
    try {
      const bootstrap = msg.tokens.issueBootstrap(settings.mgmtSubject, settings.mgmtTtl);
      const { bound, server } = await bind(msg, address, settings);
      await runUntilSignalled(msg, server, logger, () => {
        printBootstrapToken(bootstrap, output.err);
        if (msg.manifest().payload.admin_ui_enabled) printConsole(settings, bound, output.err);
        if (settings.dev) printDevMode(settings, bound, output.err);
        announce(msg, config, bound, logger);
        if (output.printManifest) output.out(`${JSON.stringify(msg.manifest(), null, 2)}\n`);
      });
    } finally {
      await msg.close();
    }
  } finally {
    processLog.flush();
  }
}

/** Binds the listener: one of this process alone, or that of the service's threads, which it closes itself. */
async function bind(
  msg: Msg,
  address: ListenAddress,
  { threads }: ServeSettings,
): Promise<{ readonly bound: AddressInfo; readonly server?: Server }> {
  if (threads !== 1) {
    const { host, port } = await msg.listen(address);
    return { bound: { address: host, port, family: isIPv6(host) ? 'IPv6' : 'IPv4' } };
  }
  const server = createOwnServer(msg.handler(), systemClock);
  msg.attach(server);
  return { bound: await listen(server, address), server };
}

async function runUntilSignalled(
  msg: Msg,
  server: Server | undefined,
  logger: Logger,
  onReady: () => void,
): Promise<void> {
  const signals = processSignals(() => {
    msg.keys.reload().then(
      () => logger.info({ active_key_id: msg.keys.activeId }, 'keyring reloaded'),
      (error: unknown) => logger.warn(errorFields(error), 'keyring could not be reloaded'),
    );
  });
  const close = async (): Promise<void> => {
    if (server !== undefined) await closeServer(server, SHUTDOWN_GRACE_MS, systemClock);
  };
  let closing: Promise<void> | undefined;
  try {
    signals.termination.addEventListener('abort', () => logger.info({}, 'draining'));
    // Requests and realtime connections end concurrently, with one grace time.
    const onLeft = () => {
      closing = close();
    };
    const running = msg.run(signals.termination, { onLeft });
    // A failed start rejects both.
    await Promise.race([msg.ready(), running]);
    onReady();
    await running;
    logger.info({}, 'stopped');
  } finally {
    await (closing ?? close());
    signals.dispose();
  }
}
