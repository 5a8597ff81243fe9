import type { LookupFunction } from 'node:net';
import type { Centrifuge, Options } from 'centrifuge';
import { CONNECT_MS } from '../dial/socket.ts';
import { driverMissing } from '../driver-missing.ts';

/** Bytes of one message, after decompression. */
const MOST_MESSAGE_BYTES = 8 * 1024 * 1024;
/** How long until a command is answered. */
const ANSWER_MS = 10_000;
/** How long at most until a lost connection is tried again. */
const RETRY_MS = 5_000;

/** What a client is opened with. */
interface ClientOptions {
  readonly url: string;
  readonly token: string | undefined;
  readonly lookup: LookupFunction;
  /** A connection failed, or could not be made. */
  readonly onFailure: (error: Error) => void;
}

/** Opens a client of one server. */
export type OpenClient = (options: ClientOptions) => Centrifuge;

/**
 * The stock client over a WebSocket that dials checked addresses alone, and follows no redirects.
 * @throws DashError QUERY_DRIVER_MISSING, with the command that installs it.
 */
export async function loadClients(): Promise<OpenClient> {
  try {
    const [{ Centrifuge }, { WebSocket }] = await Promise.all([import('centrifuge'), import('ws')]);
    return ({ url, token, lookup, onFailure }) => {
      /** The client makes one for each attempt. */
      class CheckedSocket extends WebSocket {
        constructor(address: string) {
          const bounds = {
            maxPayload: MOST_MESSAGE_BYTES,
            handshakeTimeout: CONNECT_MS,
            perMessageDeflate: false,
          };
          super(address, { ...bounds, lookup, followRedirects: false });
          this.on('error', onFailure);
        }
      }
      const options: Partial<Options> = {
        name: 'dash',
        websocket: CheckedSocket,
        timeout: ANSWER_MS,
        maxReconnectDelay: RETRY_MS,
      };
      return new Centrifuge(url, token === undefined ? options : { ...options, token });
    };
  } catch (cause) {
    throw driverMissing(cause, 'a channel', 'centrifuge ws');
  }
}
