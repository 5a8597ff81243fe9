import type { ConnectionOptions } from 'node:tls';
import { MsgError } from '@msg/core';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { SendContext, Sink, SinkMessage } from '../contract.ts';
import { recipientMember } from '../recipient-member.ts';
import type { SinkParts } from '../sink-kind.ts';
import { mailboxAddress } from './mailbox.ts';
import type { EmailSettings } from './settings.ts';
import { type SmtpServer, sendMail } from './smtp-session.ts';

/** Recipient of a mail. */
export interface EmailRecipient {
  /** One RFC 5322 mailbox. */
  readonly address: string;
}

/** Options of an e-mail sink. */
export interface EmailOptions {
  /** Default `email`. */
  readonly name?: string;
  /** Mail server, `host:port`; port 465 speaks TLS from the start. Required. */
  readonly addr: string;
  /** Sender, one RFC 5322 mailbox. Required. */
  readonly from: string;
  /** Empty or absent: no login. */
  readonly username?: string;
  /** Required with `username`. */
  readonly password?: string;
  /** TLS options, such as `{ ca }` for a private certificate authority. */
  readonly tls?: ConnectionOptions;
  readonly clock?: Clock;
}

function invalid(problem: string): MsgError {
  return new MsgError('MSG_SINK_CONFIG_INVALID', `email sink: ${problem}`);
}

function parseServer(addr: string): Pick<SmtpServer, 'host' | 'port'> {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(addr);
  const host = match?.[1] ?? match?.[2] ?? '';
  const port = Number(match?.[3]);
  if (match === null || port < 1 || port > 65_535) throw invalid('addr must be host:port');
  return { host, port };
}

function singleLine(text: string, what: string): string {
  if (/[\r\n]/.test(text)) throw new MsgError('MSG_INVALID_ARGUMENT', `the ${what} must be one line`);
  return text;
}

/** @throws MsgError MSG_INVALID_ARGUMENT */
function mailboxOf(address: string): string {
  const mailbox = mailboxAddress(singleLine(address, "recipient's address"));
  if (mailbox !== undefined) return mailbox;
  throw new MsgError('MSG_INVALID_ARGUMENT', "the recipient's address must be one mailbox");
}

/** Mails messages as plain text. Source: the specification, "Sinks"; messaging details 12.1. */
export class EmailSink implements Sink {
  readonly name: string;
  readonly #server: SmtpServer;
  readonly #from: string;
  readonly #sender: string;
  readonly #clock: Clock;

  /** @throws MsgError MSG_SINK_CONFIG_INVALID for missing and invalid options */
  constructor(options: EmailOptions) {
    this.name = options.name ?? 'email';
    if (!options.addr) throw invalid('addr is required');
    if (!options.from) throw invalid('from is required');
    const sender = mailboxAddress(options.from);
    if (sender === undefined) throw invalid('from must be one mailbox');
    if (options.username && !options.password) throw invalid('password is required with username');
    const { username = '', password = '', tls } = options;
    this.#server = {
      ...parseServer(options.addr),
      ...defined({ login: username === '' ? undefined : { username, password }, tls }),
    };
    this.#from = options.from;
    this.#sender = sender;
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * Sends one mail. `recipient` is an {@link EmailRecipient}; metadata is not sent.
   * @throws MsgError MSG_INVALID_ARGUMENT for another recipient, for an address that is not one mailbox, and for line
   * breaks in address or subject; MSG_SINK_UNAVAILABLE, see {@link sendMail}.
   */
  async send(recipient: unknown, message: SinkMessage, context: SendContext = {}): Promise<void> {
    const { address } = this.decodeRecipient(recipient);
    const to = mailboxOf(address);
    const subject = singleLine(message.subject, 'subject');
    const text = `From: ${this.#from}\r\nTo: ${address}\r\nSubject: ${subject}\r\n\r\n${message.body}`;
    await sendMail(this.#server, { from: this.#sender, to, text }, this.#clock, context.signal);
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT */
  decodeRecipient(stored: unknown): EmailRecipient {
    const address = recipientMember(stored, 'address');
    if (address === undefined || address === '')
      throw new MsgError('MSG_INVALID_ARGUMENT', "the recipient's address is required");
    return { address };
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT for an address that is not one mailbox */
  checkRecipient({ address }: EmailRecipient): void {
    mailboxOf(address);
  }
}

/** The sink of an entry of the configuration. @throws MsgError MSG_SINK_CONFIG_INVALID */
export function create(settings: EmailSettings, { name, clock }: SinkParts): EmailSink {
  const { smtp_addr: addr, from, auth_user: username = '', auth_pass: password = '' } = settings;
  if (username !== '' && password === '')
    throw new MsgError('MSG_SINK_CONFIG_INVALID', 'auth_pass is required when auth_user is set');
  return new EmailSink({ name, addr, from, username, password, clock });
}
