// The baseline of connecting: `ws` accepts and answers every message with one ready reply.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { serveQuestions } from '../pinned.ts';
import { listen } from './listen.ts';
import { answerAboutServer } from './own-usage.ts';
import type { ReplyQuestion, ServerQuestion } from './questions.ts';

let reply = '';
const server = createServer();
const accepting = new WebSocketServer({ server, perMessageDeflate: false });
accepting.on('connection', websocket => {
  websocket.on('message', () => websocket.send(reply));
  websocket.on('error', () => {});
});
const port = await listen(server);

serveQuestions<ServerQuestion | ReplyQuestion>(question => {
  if (question.kind !== 'reply') return answerAboutServer(question, port, () => accepting.clients.size);
  reply = Buffer.from(question.bytes, 'base64').toString();
  return {};
});
