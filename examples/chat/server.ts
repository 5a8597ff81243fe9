// A chat: an application's own HTTP server with msg mounted in it. Run with
//   npx node --conditions=msg-source examples/chat/server.ts
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { HTTP_TIMEOUTS, Msg } from '@msg/server';
import { build } from 'esbuild';
import { PublicChatLobbyPattern, privateChatRoomChannel } from './gen/index.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const ROOM = privateChatRoomChannel('friends');

// The service: what is published has to fit the schemas, and rooms know who is there.
const server = createServer(HTTP_TIMEOUTS, answer);
const msg = await Msg.start({
  server,
  schemasFile: here('schemas.json'),
  schemaValidation: ['public:chat.**', 'private:chat.room.*'].map(pattern => ({ pattern, mode: 'strict' })),
  channelOptions: ['public:chat.lobby', 'private:chat.room.*'].map(pattern => ({
    pattern,
    presence: true,
    joinLeave: true,
  })),
});

// The page: one HTML file and its script, bundled once.
const { outputFiles } = await build({
  entryPoints: [here('app.ts')],
  bundle: true,
  format: 'esm',
  conditions: ['msg-source'],
  write: false,
});
const files: Readonly<Record<string, readonly [type: string, body: string | Uint8Array]>> = {
  '/': ['text/html', await readFile(here('index.html'))],
  '/app.js': ['text/javascript', outputFiles[0]?.contents ?? ''],
};

/**
 * Gives a visitor tokens that open the room of friends and let the visitor speak in both rooms. A real application first
 * asks who the visitor is. A private room ends when no message came for its TTL; the next user who signs in opens it again.
 */
async function signIn(response: ServerResponse): Promise<void> {
  await msg.channels.createPrivate({ name: ROOM, ttlMs: 3_600_000, ifExists: 'reuse' });
  const credentials = await msg.tokens.issueAccess({
    subject: crypto.randomUUID(),
    scopes: [
      { pattern: ROOM, verbs: ['subscribe', 'publish'] },
      { pattern: PublicChatLobbyPattern, verbs: ['publish'] },
    ],
  });
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(credentials));
}

const service = msg.handler();
function answer(request: IncomingMessage, response: ServerResponse): void {
  const file = files[request.url ?? ''];
  if (file !== undefined) response.writeHead(200, { 'content-type': file[0] }).end(file[1]);
  else if (request.url === '/sign-in' && request.method === 'POST') void signIn(response);
  else service(request, response);
}

await msg.channels.openPublic(PublicChatLobbyPattern, 24 * 3_600_000);

server.once('error', error => {
  console.error(`chat cannot listen: ${error.message}; PORT=8001 takes another port`);
  process.exit(1);
});
server.listen(Number(process.env['PORT'] ?? 8000), () => {
  console.log(`chat on http://localhost:${(server.address() as AddressInfo).port}`);
});

async function stop(): Promise<void> {
  await msg.stop();
  server.closeAllConnections();
  server.close();
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
