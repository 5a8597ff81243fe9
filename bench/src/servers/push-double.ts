// A push service that takes every message: TLS, and 201.
import { createServer } from 'node:https';
import { localhostCertificate } from '@msg/testkit';
import { listen } from './listen.ts';

const server = createServer(localhostCertificate(), (request, response) => {
  request.resume().on('end', () => response.writeHead(201).end());
});
const port = await listen(server);
// The line a service announces itself with.
console.error(JSON.stringify({ addr: `127.0.0.1:${port}` }));
