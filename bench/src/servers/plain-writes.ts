// The baseline of deliveries: plain sockets, and a loop that writes one ready-made frame per receiver.
import { createServer, type Socket } from 'node:net';
import { serveQuestions } from '../pinned.ts';
import { stamped } from '../stamp.ts';
import { listen } from './listen.ts';
import { answerAboutServer } from './own-usage.ts';
import { publishLoop } from './publish-loop.ts';
import type { DeliveryQuestion, FrameQuestion, Measurement, Publishing } from './questions.ts';

const sockets: Socket[] = [];
const server = createServer(socket => {
  socket.setNoDelay(true);
  sockets.push(socket);
  socket.on('error', () => {});
  socket.resume();
});
const port = await listen(server);

let frame = Buffer.alloc(0);

async function publish(plan: Publishing): Promise<Measurement> {
  const subscribers = sockets.length / plan.channels;
  let writes = 0;
  let bytes = 0;
  // Several frames for one receiver leave in one buffer.
  const joined = Buffer.concat(Array.from({ length: plan.perChannel }, () => frame));
  const usage = await publishLoop(plan, first => {
    const buffer = plan.stamped ? stamped(joined) : joined;
    const end = (first + plan.channelsPerTick) * subscribers;
    for (let i = first * subscribers; i < end; i++) {
      (sockets[i] as Socket).write(buffer);
      writes++;
      bytes += buffer.length;
    }
  });
  return { ...usage, deliveries: writes * plan.perChannel, bytes };
}

serveQuestions<DeliveryQuestion | FrameQuestion>(question => {
  if (question.kind === 'publish') return publish(question);
  if (question.kind !== 'frame') return answerAboutServer(question, port, () => sockets.length);
  frame = Buffer.from(question.bytes, 'base64');
  return {};
});
