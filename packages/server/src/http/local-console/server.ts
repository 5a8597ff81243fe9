import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { METHODS, MsgError, type RpcMethodName } from '@msg/core';
import { MAX_BODY_BYTES } from '@msg/core/internal';
import type { BodyRule } from '@msg/engine';
import { type Clock, type Random, systemClock, systemRandom } from '@msg/foundation/clock';
import { cookieOf } from '../../console/cookies.ts';
import { ConsoleGateway } from '../../console/gateway.ts';
import { placeOf } from '../../console/place.ts';
import { SessionRoutes } from '../../console/session-routes.ts';
import { MemoryConsoleSessions } from '../../console/sessions/memory.ts';
import { type Session, Sessions } from '../../console/sessions.ts';
import { requireUnlocked } from '../../rpc/entry.ts';
import { send, sendText } from '../answer.ts';
import { listen } from '../bind.ts';
import { ErrorResponder } from '../error-responder.ts';
import { HOST_REFUSALS, Hosts } from '../hosts.ts';
import { pathOf, type RequestContext } from '../request-context.ts';
import { HTTP_TIMEOUTS } from '../timeouts.ts';
import { smallBodies } from './bodies.ts';
import { LinkCodes } from './codes.ts';
import { RemoteServer, type RemoteServerOptions, refuseUpgrade, WEBSOCKET_PATH } from './remote.ts';
import { RemoteWork } from './remote-work.ts';

const BODY: BodyRule = { limit: MAX_BODY_BYTES, anonymous: false };
const HOUR_MS = 3_600_000;
const HOST = '127.0.0.1';
const never = (): boolean => false;

export interface LocalConsoleOptions extends Omit<RemoteServerOptions, 'clock'> {
  /** 0: a free one. */
  readonly port: number;
  readonly version: string;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** The console on the operator's machine, in front of a server elsewhere. Source: console, section 8. */
export class LocalConsole {
  readonly #server: Server;
  readonly #remote: RemoteServer;
  readonly #work: RemoteWork;
  readonly #codes: LinkCodes;
  readonly #sessions: Sessions;
  readonly #gateway: ConsoleGateway;
  readonly #hosts = new Hosts([]);
  readonly #responder: ErrorResponder;
  readonly #onError: (error: unknown) => void;
  /** The WebSockets of pages, which `node:http` leaves to the listener of its upgrade. */
  readonly #upgraded = new Set<Duplex>();

  private constructor(options: LocalConsoleOptions) {
    const { clock = systemClock, random = systemRandom, version, onError } = options;
    this.#onError = onError;
    this.#remote = new RemoteServer({ ...options, clock });
    this.#work = new RemoteWork((name, body) => this.#remote.call(name, body));
    this.#codes = new LinkCodes(clock, random);
    this.#responder = new ErrorResponder({ onAuthFailure: () => {}, onError });
    this.#sessions = new Sessions({
      store: new MemoryConsoleSessions(clock),
      clock,
      random,
      ttlMs: 8 * HOUR_MS,
      idleMs: HOUR_MS / 2,
      maxRole: 'admin',
      perSubject: 1,
      // The server refuses calls of a credential that has ended.
      isKeyLive: () => true,
      isRevoked: never,
      onEnded: id => void this.#work.endOf(id),
    });
    const responder = this.#responder;
    const session = new SessionRoutes({
      sessions: this.#sessions,
      mode: 'local',
      signIn: { read: code => this.#signIn(code) },
      // The server leaves the records of what is done there.
      audit: { run: async (_call, work) => work() },
      bodies: smallBodies,
      clock,
      responder,
      noAuth: false,
      hasProvider: false,
      boundToLoopback: true,
      isVolatile: true,
      version,
      region: '',
    });
    this.#gateway = new ConsoleGateway({
      settings: { origin: undefined },
      basePath: '',
      noAuth: false,
      saysHttps: never,
      session,
      rpc: { handle: (context, name) => this.#forward(context, name) },
      responder,
      onError,
    });
    this.#server = createServer(HTTP_TIMEOUTS, (request, response) => this.#handle(request, response, clock));
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /**
   * Asks the server who the credential stands for, then listens.
   * @throws MsgError the server's; MSG_INVALID_ARGUMENT for a server without WhoAmI, or a port that is taken
   */
  static async start(options: LocalConsoleOptions): Promise<LocalConsole> {
    const console = new LocalConsole(options);
    await console.#remote.whoAmI();
    await listen(console.#server, { host: HOST, port: options.port }, '--port');
    return console;
  }

  /** A link for one use within a minute; earlier ones end. */
  link(): string {
    const { port } = this.#server.address() as AddressInfo; // a bound TCP server has one
    return `http://${HOST}:${port}/console/#code=${this.#codes.next()}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise(resolve => this.#server.close(resolve));
    this.#server.closeAllConnections();
    for (const socket of this.#upgraded) socket.destroy();
    await closed;
  }

  async #signIn(code: string) {
    this.#codes.use(code);
    return this.#remote.whoAmI();
  }

  #find(request: IncomingMessage): Promise<Session> {
    const { cookie } = placeOf(request, undefined, never);
    return this.#sessions.find(cookieOf(request.headers.cookie, cookie));
  }

  #handle(request: IncomingMessage, response: ServerResponse, clock: Clock): void {
    const context: RequestContext = {
      request,
      response,
      startedAt: clock.monotonic(),
      path: pathOf(request.url),
      clientAddress: request.socket.remoteAddress ?? '',
      requestId: '',
      headers: [],
      isRead: false,
      body: undefined,
      span: undefined,
      reason: undefined,
      subject: undefined,
      isRoutine: false,
      isEnded: false,
      end: () => context.body?.release(),
    };
    response.on('close', context.end);
    const host = this.#hosts.decide(request);
    if (host !== 'allowed') sendText(context, HOST_REFUSALS[host].status, HOST_REFUSALS[host].text);
    else if (this.#gateway.owns(context.path)) this.#gateway.handle(context);
    else sendText(context, 404, 'not found');
  }

  #forward(context: RequestContext, name: RpcMethodName | undefined): void {
    if (name === undefined) {
      sendText(context, 404, 'not found');
      return;
    }
    this.#call(context, name).catch((error: unknown) => this.#responder.refuse(context, error));
  }

  async #call(context: RequestContext, name: RpcMethodName): Promise<void> {
    const session = await this.#find(context.request);
    const { token } = session;
    const isLocked = this.#sessions.isLocked(session);
    requireUnlocked({ kind: 'management', token, isLocked }, METHODS[name].rights);
    context.body = smallBodies.read(context.request, BODY, {
      onDenied: reason =>
        this.#responder.refuse(context, new MsgError('MSG_INVALID_ARGUMENT', `the body is ${reason}`)),
      onBody: body => {
        context.isRead = true;
        this.#work.call(session.id, name, body).then(
          answer => send(context, answer.status, answer.headers['content-type'] ?? '', answer.body),
          (error: unknown) => this.#responder.refuse(context, error),
        );
      },
    });
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const place = placeOf(request, undefined, never);
    const isOwn = this.#hosts.decide(request) === 'allowed' && request.headers.origin === place.origin;
    if (pathOf(request.url) !== WEBSOCKET_PATH || !isOwn) {
      refuseUpgrade(socket, pathOf(request.url) === WEBSOCKET_PATH ? 403 : 404);
      return;
    }
    this.#upgraded.add(socket);
    socket.on('error', this.#onError).on('close', () => this.#upgraded.delete(socket));
    this.#find(request).then(
      () => this.#remote.upgrade(request, socket, head),
      () => refuseUpgrade(socket, 401),
    );
  }
}
