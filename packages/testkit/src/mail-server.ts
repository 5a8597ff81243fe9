import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { localhostCertificate } from './certificate.ts';

/** A message that the server took. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Everything after DATA, as it was before dot stuffing. */
  readonly raw: string;
  /** The user who logged in; empty without login. */
  readonly user: string;
  /** The message came over TLS. */
  readonly secure: boolean;
}

/** Where a server misbehaves. */
export type MailStage = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data';

/** What a server does at one stage instead of going on: a reply, no answer at all, or a cut connection. */
export interface MailFault {
  readonly stage: MailStage;
  readonly does: { readonly code: number; readonly text: string } | 'hang' | 'drop';
}

export interface MailServerOptions {
  /** STARTTLS is offered. */
  readonly tls?: boolean;
  /** Mail is taken only from this user. */
  readonly user?: string;
  readonly password?: string;
}

type Done = (error?: Error | null) => void;

function reply(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

/** A real SMTP server on a free port that keeps what it takes and can be told to misbehave. */
export class MailServer {
  readonly mails: ReceivedMail[] = [];
  /** Connections made so far. */
  connections = 0;
  /** Applies until it is changed. */
  fault: MailFault | undefined;
  readonly #server: SMTPServer;
  readonly #sockets = new Set<Socket>();
  readonly #waiting = new Set<() => void>();
  readonly #stagesReached: MailStage[] = [];

  constructor({ tls = false, user, password = '' }: MailServerOptions = {}) {
    const certificate = tls ? localhostCertificate() : undefined;
    const options: SMTPServerOptions = {
      ...certificate,
      hideSTARTTLS: certificate === undefined,
      authOptional: user === undefined,
      authMethods: ['PLAIN'],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      logger: false,
      onConnect: (_session, done) => this.#at('connect', done),
      onAuth: (auth, _session, done) =>
        this.#at('auth', error => {
          if (error) return done(error);
          if (auth.username === user && auth.password === password)
            return done(null, { user: auth.username });
          return done(Object.assign(new Error('authentication failed'), { responseCode: 535 }));
        }),
      onMailFrom: (_address, _session, done) => this.#at('mail', done),
      onRcptTo: (_address, _session, done) => this.#at('rcpt', done),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (this.fault?.stage === 'data' && this.fault.does === 'drop') this.cut();
        });
        stream.on('end', () =>
          this.#at('data', error => {
            if (!error) this.#keep(session, Buffer.concat(chunks));
            done(error ?? null);
          }),
        );
      },
    };
    this.#server = new SMTPServer(options);
    this.#server.on('error', () => {}); // cut connections
    this.#server.server.on('connection', (socket: Socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /** Listens. @returns `<host>:<port>` */
  async listen(host = '127.0.0.1'): Promise<string> {
    const server = this.#server.listen(0, host);
    await new Promise<void>(resolve => server.once('listening', resolve));
    return `${host}:${(server.address() as AddressInfo).port}`; // a TCP server's address
  }

  /** Open connections. */
  get open(): number {
    return this.#sockets.size;
  }

  /** Resolves when the server has been at the stage that many times. */
  async reached(stage: MailStage, times = 1): Promise<void> {
    while (this.#stagesReached.filter(at => at === stage).length < times) {
      await new Promise<void>(resolve => this.#waiting.add(resolve));
    }
  }

  /** Cuts every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>(resolve => this.#server.close(() => resolve()));
  }

  #at(stage: MailStage, done: Done): void {
    this.#stagesReached.push(stage);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of waiting) resume();
    const { fault } = this;
    if (fault?.stage !== stage) done();
    else if (fault.does === 'drop') this.cut();
    else if (fault.does !== 'hang') done(reply(fault.does.code, fault.does.text));
  }

  #keep(session: SMTPServerSession, raw: Buffer): void {
    const { mailFrom, rcptTo } = session.envelope;
    this.mails.push({
      from: mailFrom === false ? '' : mailFrom.address,
      to: rcptTo.map(({ address }) => address),
      raw: raw.toString(),
      user: String(session.user ?? ''),
      secure: session.secure,
    });
  }
}
