import type { ConnectionOptions } from 'node:tls';
import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { NodemailerError } from 'nodemailer';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { cancelled } from '../cancellation.ts';
import { withDeadline } from '../deadline.ts';
import { SinkFailure } from '../failure.ts';

/** Time limit of one attempt, from the connection to the last reply. */
const SMTP_TIMEOUT_MS = 30_000;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1']);

/** A mail server with its login. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** No login when absent. */
  readonly login?: { readonly username: string; readonly password: string };
  readonly tls?: ConnectionOptions;
}

/** A whole message with its envelope: bare addresses, raw text with headers. */
export interface Mail {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** Codes of the library's own checks of message, envelope and login. */
const UNSENDABLE = new Set(['EENVELOPE', 'EMESSAGE', 'EAUTH']);

/** The failure as a sink error. It quotes the server's reply only: other texts may hold secrets. */
function mailFailure(error: NodemailerError): SinkFailure {
  const { responseCode, response, originalCode, code } = error;
  if (responseCode !== undefined && responseCode >= 400 && response !== undefined) {
    return new SinkFailure(responseCode < 500, 'MSG_SINK_UNAVAILABLE', `smtp ${response}`, { cause: error });
  }
  const reason = originalCode ?? code ?? error.name;
  if (UNSENDABLE.has(reason)) {
    return new SinkFailure(false, 'MSG_SINK_UNAVAILABLE', `smtp cannot carry the message: ${reason}`, {
      cause: error,
    });
  }
  return new SinkFailure(true, 'MSG_SINK_UNAVAILABLE', `smtp server cannot be reached: ${reason}`, {
    cause: error,
  });
}

/** Runs one call of the library, which ends with its callback or with an `error` event of the connection. */
function step(
  connection: SMTPConnection,
  call: (done: (error?: NodemailerError | null) => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.once('error', (error: NodemailerError) => reject(error));
    connection.once('end', () => reject(Object.assign(new Error('ended'), { code: 'ECONNECTION' })));
    call(error => (error ? reject(error) : resolve()));
  });
}

async function logIn(connection: SMTPConnection, { host, login }: SmtpServer): Promise<void> {
  if (login === undefined) return;
  if (!connection.secure && !LOOPBACK.has(host)) {
    const text = 'the mail server offers no encryption, the password is not sent';
    throw new SinkFailure(false, 'MSG_SINK_UNAVAILABLE', text);
  }
  const { username: user, password: pass } = login;
  await step(connection, done => connection.login({ method: 'PLAIN', credentials: { user, pass } }, done));
}

async function converse(server: SmtpServer, mail: Mail, signal: AbortSignal): Promise<void> {
  // Loaded with the first mail: most services send no mail.
  const { default: Connection } = await import('nodemailer/lib/smtp-connection');
  const connection = new Connection({
    host: server.host,
    port: server.port,
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
    ...defined({ tls: server.tls }),
  });
  connection.on('error', () => {}); // errors after the last step are ignored
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const session = async () => {
      await step(connection, done => connection.connect(done));
      await logIn(connection, server);
      const content = Buffer.from(mail.text);
      const envelope = { from: mail.from, to: [mail.to], size: content.length };
      const use8BitMime = content.some(byte => byte > 127);
      await step(connection, done => connection.send({ ...envelope, use8BitMime }, content, done));
    };
    await Promise.race([session(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    connection.close();
  }
}

/**
 * Sends one message to a mail server, with STARTTLS if it is offered.
 * @throws SinkFailure MSG_SINK_UNAVAILABLE: transient for 4xx replies and connection failures; terminal for 5xx replies,
 * for a login that would send the password unencrypted, and for an abort by the caller. Source: messaging details 12.1.
 */
export async function sendMail(
  server: SmtpServer,
  mail: Mail,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await withDeadline(clock, SMTP_TIMEOUT_MS, signal, limit => converse(server, mail, limit));
  } catch (error) {
    if (error instanceof SinkFailure) throw error;
    if (signal?.aborted) throw cancelled();
    if (error instanceof Error && error.name === 'TimeoutError') {
      const text = `smtp server did not finish within ${SMTP_TIMEOUT_MS / 1000} s`;
      throw new SinkFailure(true, 'MSG_SINK_UNAVAILABLE', text, { cause: error });
    }
    throw mailFailure(error instanceof Error ? error : new Error(String(error)));
  }
}
