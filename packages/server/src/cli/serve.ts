import { resolve } from '@msg/command-line/internal';
import { serveSettingGroup, settleServe } from '../config/dev-mode.ts';
import { CONFIG_SETTINGS, SERVE_SETTINGS } from '../config/serve-settings.ts';
import { type MsgCommand, PROGRAM_FLAGS } from './command.ts';

/** `serve`: loads the service when it runs, so that the other commands start fast. */
const serve: MsgCommand = {
  name: 'serve',
  summary: 'run the broker and its HTTP service',
  detail:
    'At the start a management token is printed once to standard error. SIGHUP reloads the keyring, SIGTERM drains ' +
    'and ends. With --json the manifest is printed once the server listens.',
  settings: { ...CONFIG_SETTINGS, ...SERVE_SETTINGS },
  examples: [
    { line: 'serve --dev', help: "on a developer's machine; `npm start` of this repository" },
    { line: 'serve --state-dir ./state', help: 'keys that outlive a restart' },
    { line: 'serve --config /etc/msg/msg.yaml', help: 'everything from a file' },
    { line: 'serve --addr 127.0.0.1:9000 --publish-rate 100/s', help: 'a limit for publishers' },
  ],
  async run({ sources, io }) {
    const printManifest = resolve(PROGRAM_FLAGS.json, sources);
    const path = resolve(CONFIG_SETTINGS.config, sources);
    const { loadConfigFile } = await import('../config/config-file.ts');
    const file = path === '' ? undefined : await loadConfigFile(path, SERVE_SETTINGS, io);
    const layers = { ...sources, file };
    const settings = settleServe(layers);
    const { runningSettings } = await import('../config/resolved-settings.ts');
    const running = runningSettings(serveSettingGroup(layers), layers);
    const { serveProcess } = await import('./serve/serve.ts');
    await serveProcess(
      { settings, source: file?.path, running },
      { printManifest, out: io.out, err: io.err },
    );
  },
};

export const serveCommands: readonly MsgCommand[] = [serve];
