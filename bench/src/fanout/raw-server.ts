// The baseline: plain sockets, and a loop that writes one ready-made frame per receiver.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { serveQuestions } from '../pinned.ts';
import { CHANNEL, PAYLOAD } from './payload.ts';
import { cpuOfPublishing, type Question, settledRss } from './questions.ts';

const sockets = new Set<Socket>();
const server = createServer(socket => {
  socket.setNoDelay(true);
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', () => {});
  socket.resume();
});
await new Promise<void>(resolve => server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve));

/** What the engine sends for one publication: a WebSocket text frame. */
function publicationFrame(): Buffer {
  const push = Buffer.from(
    `{"push":{"channel":"${CHANNEL}","pub":{"data":${Buffer.from(PAYLOAD).toString()},"offset":1000}}}`,
  );
  return Buffer.concat([Buffer.from([0x81, 126, push.length >> 8, push.length & 0xff]), push]);
}

serveQuestions<Question>(async question => {
  switch (question.kind) {
    case 'address':
      return { port: (server.address() as AddressInfo).port };
    case 'memory':
      return { rss: await settledRss() };
    case 'publish': {
      const frame = publicationFrame();
      const joined = Buffer.concat(Array.from({ length: question.perTick }, () => frame));
      let bytes = 0;
      const cpuUs = await cpuOfPublishing(question, () => {
        for (const socket of sockets) {
          socket.write(joined);
          bytes += joined.length;
        }
      });
      return { cpuUs, bytes };
    }
  }
});
