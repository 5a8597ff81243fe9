import { hash } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Why a request does not become a WebSocket. */
export interface HandshakeDenial {
  readonly status: number;
  /** Sentence for who reads the answer. */
  readonly text: string;
  /** Names and values in turns, as `writeHead` takes them. */
  readonly headers: readonly string[];
}

/** A key is 16 bytes in base64 (RFC 6455, 4.1). */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSIONS: readonly string[] = ['13', '8'];

/** How long a peer may take nothing of a refusal before its connection is dropped, milliseconds. */
const REFUSAL_MS = 5000;

function denial(status: number, text: string, headers: readonly string[] = []): HandshakeDenial {
  return { status, text, headers };
}

export const ORIGIN_REFUSED = denial(403, 'the origin is not allowed');
export const NODE_UNAVAILABLE = denial(503, 'no connections are taken at the moment');
/** The handshake is right as far as it goes, but `node:http` handed it over as a request. */
export const NOT_AN_UPGRADE = denial(
  400,
  'the upgrade was not taken: Connection must list Upgrade, no answer may be due before this one, ' +
    'and the server must pass its "upgrade" event on',
);
const WRONG_METHOD = denial(405, 'a WebSocket must be opened with GET', ['allow', 'GET']);
const UPGRADE_REQUIRED = denial(426, 'this path must be opened as a WebSocket', [
  ...['connection', 'Upgrade'],
  ...['upgrade', 'websocket'],
]);
const WRONG_VERSION = denial(400, 'Sec-WebSocket-Version must be 13 or 8', [
  ...['sec-websocket-version', VERSIONS.join(', ')],
]);
const WRONG_KEY = denial(400, 'Sec-WebSocket-Key must be 16 bytes in base64');
const HAS_CONTENT = denial(400, 'a WebSocket must be opened without content');

/** An offer of HTTP/1.0 does not count (RFC 9110, 7.8). */
function offersWebSocket({ headers: { upgrade = '' }, httpVersion }: IncomingMessage): boolean {
  if (httpVersion !== '1.1') return false;
  if (upgrade === 'websocket') return true;
  const protocols = upgrade.split(',').map(name => name.trim().toLowerCase());
  return protocols.includes('websocket');
}

function hasContent({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** What is wrong with a request as a WebSocket handshake (RFC 6455, 4.2.1); undefined for a right one. */
export function handshakeDenial(request: IncomingMessage): HandshakeDenial | undefined {
  if (request.method !== 'GET') return WRONG_METHOD;
  if (!offersWebSocket(request)) return UPGRADE_REQUIRED;
  const { 'sec-websocket-key': key = '', 'sec-websocket-version': version = '' } = request.headers;
  if (!VERSIONS.includes(version)) return WRONG_VERSION;
  if (!KEY.test(key)) return WRONG_KEY;
  return hasContent(request) ? HAS_CONTENT : undefined;
}

/** What a key is hashed with (RFC 6455, 1.3). */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** What a handshake agrees on besides the WebSocket. */
export interface Agreement {
  /** The sub-protocol; undefined: none. */
  readonly subprotocol: string | undefined;
  /** The answer to the offered extensions; undefined: none is used. */
  readonly extensions: string | undefined;
}

/** The answer to a right handshake (RFC 6455, 4.2.2). */
export function acceptance(request: IncomingMessage, { subprotocol, extensions }: Agreement): string {
  const accept = hash('sha1', request.headers['sec-websocket-key'] + GUID, 'base64');
  const agreed =
    (subprotocol === undefined ? '' : `Sec-WebSocket-Protocol: ${subprotocol}\r\n`) +
    (extensions === undefined ? '' : `Sec-WebSocket-Extensions: ${extensions}\r\n`);
  return (
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    `Sec-WebSocket-Accept: ${accept}\r\n${agreed}\r\n`
  );
}

/** A socket that has left `node:http` has no error listener, and an error without a listener ends the process. */
function destroyOnError(this: Duplex): void {
  this.destroy();
}

/** Answers on the socket of an upgrade and closes it. */
export function refuseOnSocket(
  request: IncomingMessage,
  socket: Duplex,
  { status, text, headers }: HandshakeDenial,
): void {
  socket.on('error', destroyOnError);
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`];
  for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`);
  lines.push('Connection: close', 'Content-Type: text/plain; charset=utf-8');
  lines.push(`Content-Length: ${Buffer.byteLength(text)}`, '', text);
  request.socket.setTimeout(REFUSAL_MS, () => socket.destroy());
  socket.once('finish', () => socket.destroy());
  socket.end(lines.join('\r\n'));
}
