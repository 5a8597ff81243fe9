import type { Command } from 'commander';
import { CONFIG_SETTINGS, SERVE_SETTINGS } from '../config/serve-settings.ts';
import { settle, settleAll } from '../config/setting.ts';
import { addSettings, sourcesOf } from './flags.ts';
import type { CliIo } from './io.ts';

/** `serve`: loads the service only now, so that the other commands start fast. */
export function addServeCommand(program: Command, io: CliIo): void {
  const serve = program.command('serve').description('run the broker and its HTTP service');
  addSettings(serve, { ...CONFIG_SETTINGS, ...SERVE_SETTINGS }).action(async () => {
    const sources = sourcesOf(serve, io.env);
    const path = settle(CONFIG_SETTINGS.config, sources);
    const { loadConfigFile } = await import('../config/config-file.ts');
    const file = path === '' ? undefined : await loadConfigFile(path, SERVE_SETTINGS, io);
    const settings = settleAll(SERVE_SETTINGS, { ...sources, file });
    const printManifest = program.opts<{ json?: boolean }>().json === true;
    const { serveProcess } = await import('../serve.ts');
    await serveProcess({ settings, source: file?.path }, { printManifest, out: io.out, err: io.err });
  });
}
