// The baseline of the RPC: a bare `node:http` server that reads a body, parses it and answers a JSON document.
import { createServer } from 'node:http';
import { listen } from './listen.ts';

/** As long as the answer of a publish with an offset of five digits. */
const ANSWER = { offset: 10_000, epoch: 'AbCdEfGh' };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const text = JSON.stringify(body === null ? body : ANSWER);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  });
});
const port = await listen(server);
// The line a service announces itself with.
console.error(JSON.stringify({ addr: `127.0.0.1:${port}` }));
