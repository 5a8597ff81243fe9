import { display } from '../../document/display.ts';
import { DashError } from '../../errors.ts';
import { type Origin, originOf } from './origin.ts';

const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The origins that may be asked, and the secrets that may be sent to each (page and review 5.1). */
export class AllowedOrigins {
  readonly #secrets = new Map<string, Set<string>>();

  /**
   * @param entries `<origin>` or `<origin>=SECRET[,SECRET…]`; repeated origins add up.
   * @throws DashError CLI_INVALID for any other entry than an origin.
   */
  constructor(entries: Iterable<string> = []) {
    for (const entry of entries) this.#add(entry);
  }

  /** The origins, sorted. */
  get origins(): string[] {
    return [...this.#secrets.keys()].sort();
  }

  /**
   * @param address that a connection dials.
   * @param shown the address as an error may show it; undefined when it comes from a secret.
   * @param secrets names of the secrets that the connection sends.
   * @throws DashError QUERY_INVALID, QUERY_HOST_FORBIDDEN, QUERY_SECRET_FORBIDDEN.
   */
  require(address: string, shown: string | undefined, secrets: readonly string[]): Origin {
    const origin = originOf(address);
    if (origin === undefined) throw addressInvalid('an address such as http://127.0.0.1:9090/path');
    if (origin.hasUser) throw addressInvalid('without user name and password; use headers with $secret');
    const allowed = this.#secrets.get(origin.text);
    if (allowed === undefined) throw hostForbidden(shown === undefined ? undefined : origin.text);
    const forbidden = secrets.filter(name => !allowed.has(name));
    if (forbidden.length > 0) throw secretForbidden(shown === undefined ? undefined : origin.text, forbidden);
    return origin;
  }

  #add(entry: string): void {
    const text = entry.trim();
    const equals = text.indexOf('=');
    const address = equals < 0 ? text : text.slice(0, equals);
    const names =
      equals < 0
        ? []
        : text
            .slice(equals + 1)
            .split(',')
            .map(name => name.trim());
    const origin = originOf(address);
    if (origin === undefined || origin.rest !== '/' || origin.hasUser || address.includes('*')) {
      throw entryInvalid(entry, 'an origin such as http://127.0.0.1:9090 or postgres://db:5432');
    }
    const wrong = names.find(name => !SECRET_NAME.test(name));
    if (wrong !== undefined) throw entryInvalid(entry, 'names of secrets behind "=", with "," between them');
    const earlier = this.#secrets.get(origin.text) ?? new Set();
    this.#secrets.set(origin.text, new Set([...earlier, ...names]));
  }
}

function entryInvalid(entry: string, expected: string): DashError {
  // What follows "@" may be all that is not a password.
  const at = entry.lastIndexOf('@');
  const shown = display(at < 0 ? entry : `…${entry.slice(at)}`);
  return new DashError('CLI_INVALID', `--allow-query must be ${expected}; got "${shown}".`, {});
}

function addressInvalid(expected: string): DashError {
  return new DashError('QUERY_INVALID', `The url of the connection must be ${expected}.`, { member: 'url' });
}

function hostForbidden(origin: string | undefined): DashError {
  const flag = `--allow-query ${origin ?? '<origin>'}`;
  const shown = origin ?? 'the address that a secret holds';
  const message = `Asking ${shown} is not allowed: start with ${flag}.`;
  return new DashError('QUERY_HOST_FORBIDDEN', message, { origin });
}

function secretForbidden(origin: string | undefined, names: readonly string[]): DashError {
  const flag = `--allow-query ${origin ?? '<origin>'}=${names.join(',')}`;
  const message = `Sending secret ${names.join(', ')} there is not allowed: start with ${flag}.`;
  return new DashError('QUERY_SECRET_FORBIDDEN', message, { origin, names });
}
