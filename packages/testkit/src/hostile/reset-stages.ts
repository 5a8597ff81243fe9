import { HostileSocket } from './socket.ts';

/** A request whose connection is reset somewhere in its life. */
export interface ResetRequest {
  readonly url: string;
  readonly bytes: Buffer;
  /** Waits for the answer, or for the end of a connection that gets none. */
  answered(socket: HostileSocket): Promise<unknown>;
  /** Waits for the first byte of the same. */
  answering(socket: HostileSocket): Promise<unknown>;
}

async function sent({ url, bytes }: ResetRequest, length: number): Promise<HostileSocket> {
  const socket = await HostileSocket.open(url);
  await socket.sent(bytes.subarray(0, length));
  return socket;
}

/** Where in the life of a request its connection is reset: every server must survive each of them on every route. */
export const RESET_STAGES: Readonly<Record<string, (request: ResetRequest) => Promise<void>>> = {
  async 'before the first byte'({ url }) {
    (await HostileSocket.open(url)).reset();
  },
  async 'within the head'(request) {
    (await sent(request, Math.floor(request.bytes.indexOf('\r\n\r\n') / 2))).reset();
  },
  async 'before the last byte'(request) {
    (await sent(request, request.bytes.length - 1)).reset();
  },
  async 'behind the last byte'(request) {
    (await sent(request, request.bytes.length)).reset();
  },
  async 'in one turn with the request'({ url, bytes }) {
    const socket = await HostileSocket.open(url, { reads: false });
    socket.send(bytes);
    socket.reset();
  },
  async 'behind the request and FIN'(request) {
    const socket = await sent(request, request.bytes.length);
    socket.halfClose();
    socket.reset();
  },
  async 'at the first byte of the answer'(request) {
    const socket = await sent(request, request.bytes.length);
    await request.answering(socket);
    socket.reset();
  },
  async 'behind the answer'(request) {
    const socket = await sent(request, request.bytes.length);
    await request.answered(socket);
    socket.reset();
  },
};
