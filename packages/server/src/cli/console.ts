import { count, switchFlag, valueFlag } from '@msg/command-line';
import { CLIENT_SETTINGS } from '../config/client-settings.ts';
import { withSituation } from './call-situation.ts';
import { bearerOf, localCommand, type MsgCommand } from './command.ts';

const SETTINGS = {
  port: valueFlag('--port', count, 0, 'port on this machine; 0: a free one'),
  open: switchFlag('--open', 'open the link in the browser of this machine'),
  ...CLIENT_SETTINGS,
} as const;

const console = localCommand({
  name: 'console',
  summary: 'the pages for operators on this machine, in front of any server',
  detail:
    'Prints a link for one use within a minute; Enter prints another one, Ctrl-C ends. The console of the server may be off. ' +
    'The bearer stays in this process: the page gets a session, whose calls go to the server with it.',
  settings: SETTINGS,
  examples: [
    { line: 'console', help: 'the server of MSG_SERVER, with the bearer of MSG_TOKEN' },
    { line: 'console --server https://ops.example.com --open', help: 'with what `msg login` stored' },
  ],
  async run({ settings, sources, io }) {
    const token = await bearerOf(sources, io);
    const { serveConsole } = await import('./serve/console.ts');
    await serveConsole({ ...settings, token }, io).catch((error: unknown) => {
      const { server } = settings;
      throw withSituation(error, { server, token, needs: ['mgmt'], channel: '', now: io.now() });
    });
  },
});

/** `console`. */
export const consoleCommands: readonly MsgCommand[] = [console];
