import { clientFrame, type HostileSocket, OPCODES } from '@msg/testkit/hostile';
import type { RouteKind } from '../route.ts';

/** How long a server may take to answer a whole request, milliseconds. */
export const ANSWER_MS = 15_000;
/** How long it may wait for the rest of one, or for the next. */
const REQUEST_MS = 15_000;
/** From the open WebSocket to a connect. */
const CONNECT_MS = 15_000;
/** The longest wait for a ping, and for its pong. */
const PONG_MS = 25_000 + 8000;
/** From a close frame to the end of TCP. */
const CLOSE_MS = 5000;

const CONNECT = '{"id":1,"connect":{}}';
const SUBSCRIBE = '{"id":2,"subscribe":{"channel":"public:hostile.open"}}';

/** A request on its way. */
export interface Progress {
  readonly socket: HostileSocket;
  /** The whole request. */
  readonly request: Buffer;
  /** Where its head ends. */
  readonly headBytes: number;
}

/** How far an exchange goes before the trick begins. */
export interface Stage {
  readonly name: string;
  /** Nothing of what the form changes has left yet. */
  readonly beforeForm?: boolean;
  /** The request has left whole. */
  readonly whole?: boolean;
  /** It was answered, which takes a request that is complete. */
  readonly answered?: boolean;
  /** After this long without a word from the peer the connection must be over, milliseconds. */
  readonly deadlineMs: number;
  /**
   * Goes there. Answers how many bytes of the request have left; `undefined` when the exchange ends before, as that
   * of a refused upgrade does.
   */
  reach(progress: Progress): Promise<number | undefined>;
}

function upTo(length: (progress: Progress) => number): Stage['reach'] {
  return async progress => {
    const bytes = length(progress);
    if (bytes > 0 && !(await progress.socket.sent(progress.request.subarray(0, bytes)))) return undefined;
    return bytes;
  };
}

/** The same for a request with content; without, its head is the whole of it. */
function beforeEnd(length: (progress: Progress) => number): Stage['reach'] {
  const reach = upTo(length);
  return async progress => (progress.headBytes === progress.request.length ? undefined : reach(progress));
}

/** Goes on only while the connection is there; a refusal in between is a fine answer. */
async function opened({ socket, request }: Progress): Promise<boolean> {
  socket.send(request);
  const match = await socket.until(/^HTTP\/1\.1 (101|[2-5]\d\d)/m, ANSWER_MS).catch((error: unknown) => {
    if (socket.end === undefined) throw error;
    return undefined;
  });
  return match?.[1] === '101';
}

function frames(...sent: readonly (readonly [Buffer, RegExp | undefined])[]): Stage['reach'] {
  return async progress => {
    if (!(await opened(progress))) return undefined;
    for (const [frame, answer] of sent) {
      progress.socket.send(frame);
      if (answer !== undefined) await progress.socket.until(answer, ANSWER_MS);
    }
    return progress.request.length;
  };
}

const REQUEST_STAGES: readonly Stage[] = [
  { name: 'connected', beforeForm: true, deadlineMs: REQUEST_MS, reach: upTo(() => 0) },
  {
    name: 'request line',
    beforeForm: true,
    deadlineMs: REQUEST_MS,
    reach: upTo(({ request }) => Math.floor(request.indexOf('\r\n') / 2)),
  },
  {
    name: 'headers',
    deadlineMs: REQUEST_MS,
    reach: upTo(({ request, headBytes }) => Math.floor((request.indexOf('\r\n') + headBytes) / 2)),
  },
  { name: 'head', deadlineMs: REQUEST_MS, reach: beforeEnd(({ headBytes }) => headBytes) },
  {
    name: 'body',
    deadlineMs: REQUEST_MS,
    reach: beforeEnd(({ request, headBytes }) => Math.floor((request.length + headBytes) / 2)),
  },
  { name: 'answer', whole: true, deadlineMs: REQUEST_MS, reach: upTo(({ request }) => request.length) },
];

const ANSWERED: Stage = {
  name: 'answered',
  whole: true,
  answered: true,
  deadlineMs: REQUEST_MS,
  async reach({ socket, request }) {
    socket.send(request);
    await socket.until(/^HTTP\/1\.1 [2-5]\d\d/m, ANSWER_MS).catch((error: unknown) => {
      if (socket.end === undefined) throw error;
    });
    return request.length;
  },
};

const CONNECTED = [clientFrame(CONNECT), /"connect":\{/] as const;

const WEBSOCKET_STAGES: readonly Stage[] = [
  { name: 'open', whole: true, deadlineMs: CONNECT_MS, reach: frames() },
  {
    name: 'half a frame',
    whole: true,
    deadlineMs: CONNECT_MS,
    reach: frames([clientFrame(CONNECT).subarray(0, 11), undefined]),
  },
  {
    name: 'half a message',
    whole: true,
    deadlineMs: CONNECT_MS,
    reach: frames([clientFrame(CONNECT, { fin: false }), undefined]),
  },
  { name: 'session', whole: true, deadlineMs: PONG_MS, reach: frames(CONNECTED) },
  {
    name: 'subscribed',
    whole: true,
    deadlineMs: PONG_MS,
    reach: frames(CONNECTED, [clientFrame(SUBSCRIBE), /"subscribe":\{/]),
  },
  {
    name: 'closing',
    whole: true,
    deadlineMs: CLOSE_MS,
    reach: frames(CONNECTED, [clientFrame(Buffer.from([0x03, 0xe8]), { opcode: OPCODES.close }), undefined]),
  },
];

/** The stages of an exchange, by what it becomes. */
export const STAGES: Readonly<Record<RouteKind, readonly Stage[]>> = {
  answer: [...REQUEST_STAGES, ANSWERED],
  stream: [...REQUEST_STAGES, ANSWERED],
  websocket: [...REQUEST_STAGES, ...WEBSOCKET_STAGES],
};
