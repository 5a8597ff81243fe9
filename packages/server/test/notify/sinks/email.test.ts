import { inspect } from 'node:util';
import { ManualClock } from '@msg/foundation/clock/testing';
import { freePort, localhostCertificate, type MailFault, type MailServer } from '@msg/testkit';
import { describe, expect, test } from 'vitest';
import { type EmailOptions, EmailSink } from '#src/notify/sinks/email/sink.ts';
import { mailServer } from './support/servers.ts';

const MESSAGE = { subject: 'Order 7', body: 'paid', metadata: { order: '7' } };
const FROM = 'Shop <shop@example.com>';
const TO = { address: 'ann@example.com' };
const ca = localhostCertificate().cert;
const failureOf = (sent: Promise<void>) =>
  sent.then(
    () => 'sent',
    (error: { code: string; transient?: boolean; message: string }) => error,
  );

describe('a mail', () => {
  test('is From, To, Subject, an empty line and the body', async () => {
    const { server, addr } = await mailServer();
    await new EmailSink({ addr, from: FROM }).send({ address: 'Ann <ann@example.com>' }, MESSAGE);
    expect(server.mails).toEqual([
      {
        from: 'shop@example.com',
        to: ['ann@example.com'],
        raw: 'From: Shop <shop@example.com>\r\nTo: Ann <ann@example.com>\r\nSubject: Order 7\r\n\r\npaid\r\n',
        user: '',
        secure: false,
      },
    ]);
  });

  test.each([
    ['empty', '', ''],
    ['with dots', '.\r\n..\r\n.a\r\n', '.\r\n..\r\n.a\r\n'],
    ['with letters beyond ASCII', 'Grüße 🙂\r\n', 'Grüße 🙂\r\n'],
    ['with bare line feeds, which SMTP has not', 'a\nb\n', 'a\r\nb\r\n'],
    ['that looks like headers', 'Bcc: x@example.com\r\n\r\nb\r\n', 'Bcc: x@example.com\r\n\r\nb\r\n'],
  ])('takes a body %s', async (_, body, expected) => {
    const { server, addr } = await mailServer();
    await new EmailSink({ addr, from: FROM }).send(TO, { ...MESSAGE, subject: '', body });
    expect(server.mails[0]?.raw.split('Subject: \r\n\r\n')[1]).toBe(expected);
    expect(server.mails[0]?.to).toEqual(['ann@example.com']);
  });

  test('reads the key of the address in any case', async () => {
    const { server, addr } = await mailServer();
    await new EmailSink({ addr, from: FROM }).send({ Address: 'ann@example.com' }, MESSAGE);
    expect(server.mails).toHaveLength(1);
  });

  test.each([
    ['nothing', null, MESSAGE],
    ['a text', 'ann@example.com', MESSAGE],
    ['a foreign recipient', { url: 'https://example.com' }, MESSAGE],
    ['an empty address', { address: '' }, MESSAGE],
    ['no mailbox', { address: 'ann' }, MESSAGE],
    ['two mailboxes', { address: 'a@example.com, b@example.com' }, MESSAGE],
    ['a line break in the address', { address: 'a@example.com\r\nBcc: b@example.com' }, MESSAGE],
    ['a line break in the subject', TO, { ...MESSAGE, subject: 'a\nBcc: b@example.com' }],
  ])('is not sent for %s', async (_, recipient, message) => {
    const { server, addr } = await mailServer();
    const failure = await failureOf(new EmailSink({ addr, from: FROM }).send(recipient, message));
    expect(failure).toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
    expect(server.connections).toBe(0);
  });
});

describe('a login', () => {
  const login = { user: 'shop', password: 's3cret-password' };
  const credentials = { username: 'shop', password: 's3cret-password' };

  test('is PLAIN, over STARTTLS where it is offered', async () => {
    const { server, addr } = await mailServer({ ...login, tls: true });
    const tls = { ca, servername: 'localhost' };
    await new EmailSink({ addr, from: FROM, ...credentials, tls }).send(TO, MESSAGE);
    expect(server.mails).toMatchObject([{ user: 'shop', secure: true }]);
  });

  test('is made unencrypted only with this very machine', async () => {
    const { server, addr } = await mailServer(login);
    await new EmailSink({ addr, from: FROM, ...credentials }).send(TO, MESSAGE);
    expect(server.mails).toMatchObject([{ user: 'shop', secure: false }]);
    const { server: other, addr: elsewhere } = await mailServer(login, '127.0.0.2');
    const sink = new EmailSink({ addr: elsewhere, from: FROM, ...credentials });
    expect(await failureOf(sink.send(TO, MESSAGE))).toMatchObject({
      code: 'MSG_SINK_UNAVAILABLE',
      transient: false,
      message: 'the mail server offers no encryption, the password is not sent',
    });
    expect(other.mails).toEqual([]);
  });

  test('with a wrong password is terminal, and the password shows nowhere', async () => {
    const { addr } = await mailServer({ ...login, password: 'other' });
    const sink = new EmailSink({ addr, from: FROM, ...credentials });
    const failure = await failureOf(sink.send(TO, MESSAGE));
    expect(failure).toMatchObject({ transient: false, message: 'smtp 535 authentication failed' });
    const shown = inspect([failure, sink], { depth: 10, showHidden: true });
    expect(shown).not.toContain('s3cret');
    expect(shown).not.toContain(Buffer.from('\u0000shop\u0000s3cret-password').toString('base64'));
  });

  test('STARTTLS without a login is used too, and a foreign certificate is refused', async () => {
    const { server, addr } = await mailServer({ tls: true });
    await new EmailSink({ addr, from: FROM, tls: { ca, servername: 'localhost' } }).send(TO, MESSAGE);
    expect(server.mails).toMatchObject([{ secure: true }]);
    expect(await failureOf(new EmailSink({ addr, from: FROM }).send(TO, MESSAGE))).toMatchObject({
      code: 'MSG_SINK_UNAVAILABLE',
      transient: true,
    });
    expect(server.mails).toHaveLength(1);
  });
});

const reply = (stage: MailFault['stage'], code: number): MailFault => ({
  stage,
  does: { code, text: 'told so' },
});

describe('a mail server that fails', () => {
  const attempt = async (fault: MailFault) => {
    const { server, addr } = await mailServer({ user: 'u', password: 'p' });
    server.fault = fault;
    const options = { addr, from: FROM, username: 'u', password: 'p' };
    return { server, failure: await failureOf(new EmailSink(options).send(TO, MESSAGE)) };
  };

  test.each([
    ['connect', 421, true],
    ['connect', 554, false],
    ['auth', 454, true],
    ['auth', 535, false],
    ['mail', 451, true],
    ['mail', 550, false],
    ['rcpt', 450, true],
    ['rcpt', 452, true],
    ['rcpt', 499, true],
    ['rcpt', 550, false],
    ['rcpt', 503, false],
    ['data', 451, true],
    ['data', 552, false],
  ] as const)('at %s with %i', async (stage, code, transient) => {
    const { server, failure } = await attempt(reply(stage, code));
    expect(failure).toMatchObject({
      code: 'MSG_SINK_UNAVAILABLE',
      transient,
      message: expect.stringMatching(new RegExp(`^smtp ${code}.*told so`)),
    });
    expect(server.mails).toEqual([]);
  });

  test.each(['connect', 'auth', 'mail', 'rcpt', 'data'] as const)(
    'by dropping the connection at %s',
    async stage => {
      const { server, failure } = await attempt({ stage, does: 'drop' });
      expect(failure).toMatchObject({
        code: 'MSG_SINK_UNAVAILABLE',
        transient: true,
        message: expect.stringMatching(/^smtp server cannot be reached: /),
      });
      expect(server.mails).toEqual([]);
    },
  );

  test.each(['connect', 'rcpt', 'data'] as const)('by saying nothing at %s for 30 s', async stage => {
    const clock = new ManualClock();
    const { server, addr } = await mailServer();
    server.fault = { stage, does: 'hang' };
    const failure = failureOf(new EmailSink({ addr, from: FROM, clock }).send(TO, MESSAGE));
    await server.reached(stage);
    await clock.advance(30_000);
    expect(await failure).toMatchObject({
      transient: true,
      message: 'smtp server did not finish within 30 s',
    });
    expect(clock.pending).toBe(0);
  });

  test('while the caller gives up', async () => {
    const { server, addr } = await mailServer();
    server.fault = { stage: 'data', does: 'hang' };
    const caller = new AbortController();
    const failure = failureOf(
      new EmailSink({ addr, from: FROM }).send(TO, MESSAGE, { signal: caller.signal }),
    );
    await server.reached('data');
    caller.abort();
    expect(await failure).toMatchObject({ transient: false, message: 'the delivery was cancelled' });
  });

  test('by not being there', async () => {
    const addr = `127.0.0.1:${await freePort()}`;
    expect(await failureOf(new EmailSink({ addr, from: FROM }).send(TO, MESSAGE))).toMatchObject({
      transient: true,
      message: 'smtp server cannot be reached: ECONNREFUSED',
    });
  });

  test('once, and then takes the mail', async () => {
    const { server, addr } = await mailServer();
    server.fault = { stage: 'data', does: 'drop' };
    const sink = new EmailSink({ addr, from: FROM });
    await failureOf(sink.send(TO, MESSAGE));
    server.fault = undefined;
    await sink.send(TO, MESSAGE);
    expect(server.mails).toHaveLength(1);
    await noConnectionsLeft(server);
  });
});

async function noConnectionsLeft(server: MailServer): Promise<void> {
  await expect.poll(() => server.open).toBe(0);
}

describe('an email configuration', () => {
  test.each<[string, Partial<EmailOptions>]>([
    ['addr is required', { from: FROM }],
    ['from is required', { addr: 'mail:25' }],
    ['from must be one mailbox', { addr: 'mail:25', from: 'shop' }],
    ['from must be one mailbox', { addr: 'mail:25', from: 'a@b.c\r\nBcc: d@e.f' }],
    ['addr must be host:port', { addr: 'mail', from: FROM }],
    ['addr must be host:port', { addr: 'mail:0', from: FROM }],
    ['addr must be host:port', { addr: 'smtp://mail:25', from: FROM }],
    ['addr must be host:port', { addr: '::1:25', from: FROM }],
    ['password is required with username', { addr: 'mail:25', from: FROM, username: 'u' }],
  ])('%s', (problem, options) => {
    expect(() => new EmailSink(options as EmailOptions)).toThrow(
      expect.objectContaining({ code: 'MSG_SINK_CONFIG_INVALID', message: `email sink: ${problem}` }),
    );
  });

  test.each(['mail.example.com:587', '[::1]:25', '127.0.0.1:2525'])('%s is an address', addr => {
    expect(new EmailSink({ addr, from: FROM }).name).toBe('email');
  });
});
