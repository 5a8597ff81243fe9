// Loaded before the service in a process whose wall clock a test sets: `node --import`. Every SIGUSR2 reads how far it is
// off, in milliseconds, from the file that TEST_CLOCK_FILE names. Timers and monotonic time are the system's.
import { readFileSync } from 'node:fs';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

const SystemDate = globalThis.Date;
const systemNow = SystemDate.now;
let offset = 0;

class JumpingDate extends SystemDate {
  constructor(...parts) {
    if (parts.length === 0) super(JumpingDate.now());
    else super(...parts);
  }

  static now() {
    return systemNow() + offset;
  }
}

globalThis.Date = JumpingDate;
// Signals reach main alone: it tells the threads.
const threads = new BroadcastChannel('wall clock');
threads.unref();
if (isMainThread)
  process.on('SIGUSR2', () => {
    offset = Number(readFileSync(process.env.TEST_CLOCK_FILE, 'utf8'));
    threads.postMessage(offset);
  });
else
  threads.onmessage = ({ data }) => {
    offset = data;
  };
