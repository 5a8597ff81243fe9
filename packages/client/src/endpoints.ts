import type { Manifest } from './manifest.ts';
import { pickTransports, type Transport, transportEndpoint } from './transports.ts';

const DEFAULT_TRANSPORTS: readonly Transport[] = ['websocket', 'http_stream'];

interface Endpoint {
  readonly transport: Transport;
  readonly endpoint: string;
}

/** The addresses that the stock client tries, in order. The stock client reads the list at each attempt. */
export class Endpoints {
  readonly #endpoint: string;
  readonly #preferred: readonly Transport[];
  readonly list: Endpoint[];

  /** @throws MsgError MSG_INVALID_ARGUMENT when `endpoint` is not an absolute http or https URL. */
  constructor(endpoint: string, preferred = DEFAULT_TRANSPORTS) {
    this.#endpoint = endpoint;
    this.#preferred = preferred;
    transportEndpoint(endpoint, 'websocket');
    this.list = this.#of(preferred);
  }

  /** Keeps those that the server offers. */
  restrictTo({ transports, webtransportPort }: Manifest): void {
    this.list.splice(
      0,
      this.list.length,
      ...this.#of(pickTransports(this.#preferred, transports), webtransportPort),
    );
  }

  #of(transports: readonly Transport[], webtransportPort?: number): Endpoint[] {
    return transports.map(transport => ({
      transport,
      endpoint: transportEndpoint(this.#endpoint, transport, webtransportPort),
    }));
  }
}
