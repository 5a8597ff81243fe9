import { isIP } from 'node:net';
import { runningKernel } from '../kernel/running.ts';
import { networkOf } from './network.ts';

interface Address {
  readonly address: string;
  readonly family: number;
}

type Callback = (error: Error | null, answer: string | Address[], family?: number) => void;

interface LookupOptions {
  readonly all?: boolean;
}

/** `dns.lookup`: answers by the names of the world, after a drawn time. */
export function lookup(host: string, options: LookupOptions | Callback, then?: Callback): void {
  const callback = (typeof options === 'function' ? options : then) as Callback; // one of them is given
  const all = typeof options === 'object' && options.all === true;
  const kernel = runningKernel('dns.lookup');
  const actor = kernel.owner('dns.lookup');
  const atUs = kernel.nowUs + actor.stream('dns').between(100, 50_000);
  kernel.schedule(actor, { kind: 'dns', atUs }, () => {
    const addresses = isIP(host) === 0 ? networkOf(kernel).addressesOf(host) : [host];
    const [first] = addresses;
    if (first === undefined) {
      const code = 'ENOTFOUND';
      callback(Object.assign(new Error(`getaddrinfo ${code}`), { code, syscall: 'getaddrinfo' }), '');
    } else if (all) {
      callback(
        null,
        addresses.map(address => ({ address, family: isIP(address) })),
      );
    } else {
      callback(null, first, isIP(first));
    }
  });
}
