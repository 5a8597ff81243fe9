// A push service that takes every message: TLS, and 201. Asked over IPC, it answers over how many connections messages came
// since it was asked last.
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { localhostCertificate } from '@msg/testkit';
import { listen } from './listen.ts';

const used = new Set<Socket>();
const server = createServer(localhostCertificate(), (request, response) => {
  used.add(request.socket);
  request.resume().on('end', () => response.writeHead(201).end());
});
// The sides take turns: a connection waits while the other one has its.
server.keepAliveTimeout = 0;
process.on('message', () => {
  process.send?.(used.size);
  used.clear();
});
process.once('disconnect', () => process.exit());
const port = await listen(server);
// The line a service announces itself with.
console.error(JSON.stringify({ addr: `127.0.0.1:${port}` }));
