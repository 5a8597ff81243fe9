import { createServer, Socket } from 'node:net';
import { MessageChannel } from 'node:worker_threads';

/** How connections reach threads: main accepts and hands them over, or each thread accepts from one port. */
export type Placement = 'handover' | 'reusePort';

/** How this runtime can spread connections; undefined: it cannot. The runtime is asked, not its version. */
export async function findPlacement(): Promise<Placement | undefined> {
  if (canTransfer()) return 'handover';
  return (await canReusePort()) ? 'reusePort' : undefined;
}

/** Whether sockets can be transferred: a refusal then speaks of the state of this one, otherwise of its type. */
function canTransfer(): boolean {
  // The answer does not prove it on Windows.
  if (process.platform === 'win32') return false;
  const { port1 } = new MessageChannel();
  const socket = new Socket();
  try {
    // Its type is not one of those that the declarations know.
    port1.postMessage(null, [socket as never]);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_HANDLE_NOT_TRANSFERABLE';
  } finally {
    port1.close();
    socket.destroy();
  }
}

/** Whether the system takes the option: where it does not, listening fails. */
function canReusePort(): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port: 0, reusePort: true }, () => server.close(() => resolve(true)));
  });
}
