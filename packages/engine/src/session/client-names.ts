/** What a client program calls itself: untrusted input. */
export interface ClientName {
  readonly name: string;
  readonly version: string;
}

/** Different names that a node remembers; clients choose them. */
const MAX_NAMES = 256;
const MAX_LENGTH = 64;

/** A connection without a connect command. */
export const NO_NAME: ClientName = { name: '', version: '' };
const OTHER: ClientName = { name: 'other', version: '' };

/** The names of client programs, each once, so that a connection holds one reference. */
export class ClientNames {
  readonly #known = new Map<string, ClientName>();

  of(name: string, version: string): ClientName {
    if (name === '' && version === '') return NO_NAME;
    const short = { name: name.slice(0, MAX_LENGTH), version: version.slice(0, MAX_LENGTH) };
    const key = JSON.stringify([short.name, short.version]);
    const existing = this.#known.get(key);
    if (existing !== undefined) return existing;
    if (this.#known.size >= MAX_NAMES) return OTHER;
    this.#known.set(key, short);
    return short;
  }
}
