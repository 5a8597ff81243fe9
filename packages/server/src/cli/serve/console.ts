import type { ProgramIo } from '@msg/command-line';
import { VERSION } from '../../config/version.ts';
import { LocalConsole } from '../../http/local-console/server.ts';
import { onEnter, openInBrowser } from './terminal.ts';

export interface ConsoleProcess {
  /** Base address of the server. */
  readonly server: string;
  /** The bearer; empty: none. */
  readonly token: string;
  /** 0: a free one. */
  readonly port: number;
  /** Opens the link in the browser of this machine. */
  readonly open: boolean;
}

/** Serves the console on this machine until Ctrl-C. @throws MsgError */
export async function serveConsole(
  { open, ...remote }: ConsoleProcess,
  io: ProgramIo & { readonly fetch: typeof globalThis.fetch },
): Promise<void> {
  const interrupted = io.interrupted();
  const running = await LocalConsole.start({
    ...remote,
    fetch: io.fetch,
    version: VERSION,
    onError: error => io.err(`${error instanceof Error ? error.message : 'a request failed'}\n`),
  });
  const print = (): string => {
    const link = running.link();
    io.out(`${link}\n`);
    return link;
  };
  const link = print();
  io.err('Press Enter for another link, Ctrl-C to stop.\n');
  if (open) openInBrowser(link, () => io.err('no browser could be started: open the link yourself\n'));
  const stopListening = onEnter(print);
  if (!interrupted.aborted)
    await new Promise<void>(done => interrupted.addEventListener('abort', () => done(), { once: true }));
  stopListening();
  await running.stop();
}
