import { CONFIG_SETTINGS, SERVE_SETTINGS } from '../config/serve-settings.ts';
import { settle, settleAll } from '../config/setting.ts';
import { type CommandSpec, localCommand } from './command.ts';

/** `serve`: loads the service only now, so that the other commands start fast. */
const serve = localCommand({
  name: 'serve',
  summary: 'run the broker and its HTTP service',
  detail:
    'At the start a management token is printed once to standard error. SIGHUP reloads the keyring, SIGTERM drains ' +
    'and ends. With --json the manifest is printed once the server listens.',
  settings: { ...CONFIG_SETTINGS, ...SERVE_SETTINGS },
  examples: [
    { line: 'serve --state-dir ./state', help: 'keys that outlive a restart' },
    { line: 'serve --config /etc/msg/msg.yaml', help: 'everything from a file' },
    { line: 'serve --addr 127.0.0.1:9000 --publish-rate 100/s', help: 'a limit for publishers' },
  ],
  async run({ sources, io, json }) {
    const path = settle(CONFIG_SETTINGS.config, sources);
    const { loadConfigFile } = await import('../config/config-file.ts');
    const file = path === '' ? undefined : await loadConfigFile(path, SERVE_SETTINGS, io);
    const settings = settleAll(SERVE_SETTINGS, { ...sources, file });
    const { serveProcess } = await import('../serve.ts');
    await serveProcess({ settings, source: file?.path }, { printManifest: json, out: io.out, err: io.err });
  },
});

export const serveCommands: readonly CommandSpec[] = [serve];
