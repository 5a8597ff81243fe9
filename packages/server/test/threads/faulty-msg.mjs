// `msg` whose threads can be told to fail: GET /<kind>/<thread> on 127.0.0.1:$FAULTS_PORT; thread 0 is main. With $NO_TRANSFER sockets cannot
// be transferred, as on older versions of Node.js; the threads $FAIL_AT_START, such as 1,2, end before they serve.
// $FAULTY_PROGRAM is another program than `msg` of the checkout. A thread has little heap, unless the service says how much: one that fills it ends soon. For tests alone.
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import workers, { BroadcastChannel } from 'node:worker_threads';
import { FAULTS } from './faults-in-thread.mjs';

const { Worker } = workers;
const inThread = new URL('./faults-in-thread.mjs', import.meta.url);
const failing = process.env.FAIL_AT_START?.split(',').map(Number) ?? [];
const heap = { maxOldGenerationSizeMb: 256 };
const failure = `data:text/javascript,${encodeURIComponent("throw new Error('an injected failure')")}`;

workers.Worker = class extends Worker {
  constructor(program, options) {
    const imported = failing.includes(options.workerData?.number) ? failure : inThread;
    const execArgv = [...(options.execArgv ?? process.execArgv), `--import=${imported}`];
    super(program, { ...options, resourceLimits: { ...heap, ...options.resourceLimits }, execArgv });
  }
};
syncBuiltinESMExports();

if (process.env.NO_TRANSFER === 'yes') await import('./without-transfer.mjs');

const faults = new BroadcastChannel('faults');
faults.unref();
createServer((request, response) => {
  const [, kind, thread] = request.url.split('/');
  if (thread === '0') response.once('finish', () => setImmediate(FAULTS[kind]));
  else faults.postMessage({ kind, thread: Number(thread) });
  response.writeHead(204, { connection: 'close' }).end();
})
  .listen(Number(process.env.FAULTS_PORT), '127.0.0.1')
  .unref();

await import(process.env.FAULTY_PROGRAM ?? '../../bin/msg.js');
