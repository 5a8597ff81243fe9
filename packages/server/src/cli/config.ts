import { type SettingFile, type SettingSources, switchFlag } from '@msg/command-line';
import { resolve, resolveFrom } from '@msg/command-line/internal';
import { defined } from '@msg/foundation/json';
import { configurationSchema, configurationTemplate } from '../config/config-schema.ts';
import { serveSettingGroup, settleServe } from '../config/dev-mode.ts';
import { CONFIG_SETTINGS, SERVE_SETTINGS } from '../config/serve-settings.ts';
import { localCommand, type MsgCommand, printResult, rpcCommand, withOutput } from './command.ts';
import type { CliEnvironment } from './io.ts';

async function load(path: string, io: CliEnvironment): Promise<SettingFile> {
  const { loadConfigFile } = await import('../config/config-file.ts');
  return loadConfigFile(path, SERVE_SETTINGS, io);
}

const check = localCommand({
  name: 'config check',
  args: [{ name: 'file', help: 'YAML configuration file' }],
  summary: 'would `msg serve` boot with this file',
  detail:
    'Keys and values are checked as at a boot; nothing outside is touched: no address is bound, no keyring read, no ' +
    'identity provider asked. References to variables are replaced from this environment; other variables do not ' +
    'count.',
  settings: {},
  examples: [{ line: 'config check /etc/msg/msg.yaml', help: 'before a restart, or in a pipeline' }],
  async run({ args: [path = ''], io }) {
    const file = await load(path, io);
    const settings = settleServe({ flag: () => undefined, env: {}, file });
    const { checkConfig } = await import('./serve/check-config.ts');
    await checkConfig({ settings, source: path });
    printResult(io, { kind: 'msg.config.checked', payload: { path, ok: true } });
  },
});

/** Every setting by key: its value without secrets, and the layer that it comes from. */
function effective(sources: SettingSources): object {
  const entries = Object.values(serveSettingGroup(sources)).map(setting => {
    const { value, layer } = resolveFrom<unknown>(setting, sources);
    // The value comes from this setting, which the union of all types cannot express.
    const type = setting.type as { show(value: unknown): unknown };
    return [setting.key, { value: type.show(value), source: layer }];
  });
  return Object.fromEntries(entries);
}

const print: MsgCommand = {
  name: 'config print',
  summary: 'the settings `msg serve` would run with, and where each comes from',
  detail: 'Takes the flags of `msg serve`. Secrets are not shown.',
  settings: { ...CONFIG_SETTINGS, ...SERVE_SETTINGS },
  examples: [
    { line: 'config print', help: 'what the environment makes of the defaults' },
    { line: 'config print --config /etc/msg/msg.yaml --addr :9000', help: 'a flag wins over the file' },
  ],
  async run(invocation) {
    const { sources } = invocation;
    const io = withOutput(invocation);
    const path = resolve(CONFIG_SETTINGS.config, sources);
    const file = path === '' ? undefined : await load(path, io);
    const payload = {
      ...defined({ config_source: file?.path }),
      settings: effective({ ...sources, file }),
    };
    printResult(io, { kind: 'msg.config.effective', payload });
  },
};

const running = rpcCommand({
  name: 'config running',
  summary: 'the settings that a server runs with, and where each comes from',
  detail:
    'Secrets are absent: `is_set` tells whether there is one. `source` is flag, env, file, default, or embedder for a ' +
    'service within another program, whose options are shown.',
  method: 'Config',
  examples: [{ line: 'config running', help: 'what `msg config print` says, of a server that runs' }],
  async action(call) {
    const { settings, config_source } = await call({});
    return { kind: 'msg.config.running', payload: { config_source, settings } };
  },
});

const schema = localCommand({
  name: 'config schema',
  summary: 'print the JSON Schema of the configuration file',
  detail:
    'Draft 2020-12, made of the table of settings, for editors and pipelines; the package ships it as ' +
    '`@msg/server/config.schema.json`. What depends on other keys only `msg config check` knows.',
  settings: {},
  examples: [{ line: 'config schema', help: 'no envelope around it' }],
  async run({ io }) {
    io.out(`${JSON.stringify(configurationSchema(), null, 2)}\n`);
  },
});

const init = localCommand({
  name: 'config init',
  summary: 'print a commented configuration file to begin with',
  settings: { full: switchFlag('--full', 'with every key') },
  examples: [
    { line: 'config init', help: 'what a first configuration decides about' },
    { line: 'config init --full', help: 'every key with its default' },
  ],
  async run({ settings: { full }, io }) {
    io.out(configurationTemplate(full));
  },
});

/** `config …`. */
export const configCommands: readonly MsgCommand[] = [check, print, running, schema, init];
