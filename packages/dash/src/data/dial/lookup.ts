import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { display } from '../../document/display.ts';
import { DashError } from '../../errors.ts';
import { isForbidden } from './addresses.ts';

/** All addresses of a name. */
export type ResolveName = (host: string) => Promise<readonly LookupAddress[]>;

/** The resolver of the system. */
export const systemResolve: ResolveName = host =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

/**
 * The lookup of every socket: a socket is opened to an address that this function has checked, and a name is resolved
 * once for each. A literal address does not come here: it was allowed as that very literal.
 */
export function checkedLookup(resolve: ResolveName): LookupFunction {
  return (host, options, callback) => {
    const fail = (error: unknown): void => callback(error as NodeJS.ErrnoException, [], 0);
    resolve(host).then(addresses => {
      if (isIP(host) === 0 && addresses.some(({ address }) => isForbidden(address))) {
        return fail(addressForbidden(host));
      }
      const [first] = addresses;
      if (first === undefined) return fail(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }));
      if (options.all === true) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    }, fail);
  };
}

function addressForbidden(host: string): DashError {
  const message = `Name "${display(host)}" means an address that is not allowed: unspecified, multicast, link-local or of cloud metadata. Allow the literal address when it is right.`;
  return new DashError('QUERY_HOST_FORBIDDEN', message, { host, reason: 'address' });
}
