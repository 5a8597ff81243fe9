import { type MsgServer, type ServeOptions, startMsg } from '@msg/testkit';
import { expect } from 'vitest';
import { onStoreOfRun } from './store-of-run.ts';

/** Part of every payload that tests publish and that no log may show. */
export const SECRET_PAYLOAD = 'payload-that-no-log-shows';

const TOKEN_TEXT = /eyJ[\w-]{6,}\.[\w-]*/;
const KEY_SECRET = /\b[0-9a-f]{64}\b/;

/** Looks for token text, key secrets and payloads in all that a server wrote; the bootstrap token once is fine. */
export function expectNoSecrets(server: MsgServer): void {
  const { stdout, stderr } = server.output();
  const [before = '', after, ...rest] = stderr.split(server.token);
  expect(rest, 'the bootstrap token is written once').toEqual([]);
  const written = stdout + before + (after ?? '');
  expect(written).not.toMatch(TOKEN_TEXT);
  expect(written).not.toMatch(KEY_SECRET);
  expect(written).not.toContain(SECRET_PAYLOAD);
}

/** A spawned server, on the store of this run, whose output is searched for secrets when it stops. */
export async function startServer(options: ServeOptions = {}): Promise<MsgServer> {
  const server = await startMsg(await onStoreOfRun(options));
  return {
    ...server,
    async stop() {
      await server.stop();
      expectNoSecrets(server);
    },
  };
}
