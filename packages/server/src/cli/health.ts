import { count, type SettingGroup, type SettingSources, UsageError, valueFlag } from '@msg/command-line';
import { resolve } from '@msg/command-line/internal';
import { MsgError } from '@msg/core';
import { serveSettingGroup } from '../config/dev-mode.ts';
import { readListenAddress } from '../config/listen-address.ts';
import { CONFIG_SETTINGS, SERVE_SETTINGS } from '../config/serve-settings.ts';
import { withSituation } from './call-situation.ts';
import { localCommand, type MsgCommand, printResult } from './command.ts';
import { type CliEnvironment, unreadableFile } from './io.ts';

/** Time limit of the answer. */
const TIMEOUT_MS = 2500;

const SETTINGS = {
  ...CONFIG_SETTINGS,
  ...SERVE_SETTINGS,
  pid: valueFlag('--pid', count, 0, 'process id of the running `msg serve`, whose flags are taken'),
} as const;

/** The flags of an accepted command line. */
function flagsIn(words: readonly string[], settings: SettingGroup = SETTINGS): SettingSources['flag'] {
  return name => {
    const { short, type } = Object.values(settings).find(({ flag }) => flag === name) ?? {};
    const values = words.flatMap((word, at) => {
      if (word.startsWith(`${name}=`)) return [word.slice(name.length + 1)];
      return word === name || word === short ? [words[at + 1] ?? ''] : [];
    });
    if (values.length === 0) return undefined;
    return type?.placeholder === undefined ? ['true'] : values;
  };
}

/** The words of a running process (Linux). */
async function wordsOf(pid: number, io: CliEnvironment): Promise<readonly string[]> {
  const path = `/proc/${pid}/cmdline`;
  const bytes = await io.readFile(path).catch((cause: unknown) => {
    throw unreadableFile(path, cause);
  });
  return new TextDecoder().decode(bytes).split('\0');
}

/** The address of the listener with these settings, from this machine. */
async function addressOf(sources: SettingSources, io: CliEnvironment): Promise<string> {
  const path = resolve(CONFIG_SETTINGS.config, sources);
  const { loadConfigFile } = await import('../config/config-file.ts');
  const file = path === '' ? undefined : await loadConfigFile(path, SERVE_SETTINGS, io);
  const all = { ...sources, file };
  const settings = serveSettingGroup(all);
  const address = readListenAddress(resolve(settings.addr, all));
  if (address === undefined || address.port === 0) throw new UsageError('--addr must name a port; got 0');
  const { host, port } = address;
  const reached = host === '' || host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const base = resolve(settings.basePath, all);
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}${base}`;
}

async function requireHealthy(server: string, { fetch, now }: CliEnvironment): Promise<void> {
  const answer = await fetch(`${server}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    (cause: unknown) => {
      const error = new MsgError('MSG_BROKER_NOT_READY', `no answer from ${server}`, { cause });
      throw withSituation(error, { server, token: undefined, needs: [], channel: '', now: now() });
    },
  );
  if (answer.status !== 200)
    throw new MsgError('MSG_BROKER_NOT_READY', `${server}/healthz answered HTTP ${answer.status}`);
}

/** `health`: checks the service on this machine. */
const health = localCommand({
  name: 'health',
  summary: 'does the service on this machine answer',
  detail:
    'Takes the flags of `msg serve`, or with --pid those of a running one, and asks /healthz at their address: the ' +
    'health check of the container image. Ends with 0 when the service answers, else with 1.',
  settings: SETTINGS,
  examples: [
    { line: 'health --addr 127.0.0.1:9000', help: 'at an address' },
    { line: 'health --pid 1', help: 'in a container, whatever its flags are' },
  ],
  async run({ sources, settings: { pid }, io }) {
    const flag = pid === 0 ? sources.flag : flagsIn(await wordsOf(pid, io));
    const server = await addressOf({ ...sources, flag }, io);
    await requireHealthy(server, io);
    printResult(io, { kind: 'msg.health', payload: { server, ok: true } });
  },
});

/** `health`. */
export const healthCommands: readonly MsgCommand[] = [health];
