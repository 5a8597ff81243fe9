import type { Kernel } from '../kernel/kernel.ts';
import { kernelIfRunning } from '../kernel/running.ts';

/** As long as a socket speaks HTTP it has the parser that Node.js gives it. */
interface Parsed {
  readonly parser?: { close(): void } | null;
}

const sockets = new WeakMap<Kernel, WeakRef<object>[]>();

/**
 * Notes a socket of the run that is played: when that ends, a parser that it still has is closed. Parsers live outside of
 * the heap of JavaScript and hold their sockets, and so the whole run, until they are closed.
 */
export function noteSocket(socket: object): void {
  const kernel = kernelIfRunning();
  if (kernel === undefined) return;
  const noted = sockets.get(kernel) ?? begin(kernel);
  noted.push(new WeakRef(socket));
}

function begin(kernel: Kernel): WeakRef<object>[] {
  const noted: WeakRef<object>[] = [];
  sockets.set(kernel, noted);
  kernel.onEnd.add(() => {
    for (const each of noted) {
      const socket: Parsed | undefined = each.deref();
      socket?.parser?.close();
    }
  });
  return noted;
}
