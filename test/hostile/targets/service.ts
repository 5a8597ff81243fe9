import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMsg } from '@msg/testkit';
import { MEASURED_FLAGS } from './child-options.ts';
import { failureLines } from './failure-lines.ts';
import { operatorCall } from './operator-call.ts';
import { serviceRoutes } from './service-routes.ts';
import type { OperatedTarget } from './target.ts';

/** Every public channel keeps what the floods ask for: 100 publications, for as long as the run takes. */
const CONFIG = `channels:
  - pattern: public:hostile.**
    history_size: 100
    history_ttl: 1h
`;

/** Starts `msg serve` on a free port. */
export async function startService(threads: number): Promise<OperatedTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'msg-hostile-'));
  const config = join(folder, 'msg.yaml');
  await writeFile(config, CONFIG);
  const server = await startMsg({
    args: ['--config', config, '--threads', String(threads)],
    flags: MEASURED_FLAGS,
  });
  let running = true;
  void server.exited().then(() => {
    running = false;
  });
  const call = operatorCall(server.url, server.token);
  await call('OpenPublic', { name: 'public:hostile.open' });
  return {
    name: threads === 1 ? 'msg serve' : `msg serve --threads ${threads}`,
    url: server.url,
    pid: server.pid,
    healthPath: '/healthz',
    routes: await serviceRoutes(server.token),
    token: server.token,
    call,
    isRunning: () => running,
    failures: () => failureLines(server.output().stderr),
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
