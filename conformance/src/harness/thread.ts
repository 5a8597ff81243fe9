// One thread of a harness with several.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type ThreadLink, threadBackends } from '@msg/engine/threads';
import type { ProfileName } from './profiles.ts';
import { Harness } from './server.ts';

const main = parentPort as MessagePort; // this is a thread
const { link, profile } = workerData as { readonly link: ThreadLink; readonly profile: ProfileName };
const { backends, close } = threadBackends(link, {
  onError: console.error,
  onBroken: error => console.error(error),
});
const harness = await Harness.start(profile, { backends });
main.once('message', async () => {
  await harness.stop();
  close();
});
main.postMessage('listening');
