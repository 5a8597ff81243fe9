// A server on `node:http` that reads a request and holds its answer open: what an HTTP stream cannot do without.
import { createServer, type ServerResponse } from 'node:http';
import { serveQuestions } from '../pinned.ts';
import { listen } from './listen.ts';
import { answerAboutServer } from './own-usage.ts';
import type { ServerQuestion } from './questions.ts';

const held = new Set<ServerResponse>();
const server = createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.write('{"id":1,"connect":{}}\n{"id":2,"subscribe":{}}\n');
    held.add(response);
  });
  response.on('close', () => held.delete(response));
});
const port = await listen(server);

serveQuestions<ServerQuestion>(question => answerAboutServer(question, port, () => held.size));
