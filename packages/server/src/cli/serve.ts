import type { Command } from 'commander';
import { SERVE_SETTINGS } from '../config/serve-settings.ts';
import { settleAll } from '../config/setting.ts';
import { addSettings, sourcesOf } from './flags.ts';
import type { CliIo } from './io.ts';

/** `serve`: loads the service only now, so that the other commands start fast. */
export function addServeCommand(program: Command, io: CliIo): void {
  const serve = program.command('serve').description('run the broker and its HTTP service');
  addSettings(serve, SERVE_SETTINGS).action(async () => {
    const settings = settleAll(SERVE_SETTINGS, sourcesOf(serve, io.env));
    const printManifest = program.opts<{ json?: boolean }>().json === true;
    const { serveProcess } = await import('../serve.ts');
    await serveProcess(settings, { printManifest, out: io.out, err: io.err });
  });
}
