import type { Dialect, Step } from './dialect.ts';

const NOTHING = Buffer.alloc(0);
const CONNECT = 'CONNECT {"verbose":false,"pedantic":false,"echo":false,"protocol":1}\r\n';

/** The NATS client protocol over TCP. */
export function nats(): Dialect {
  const greeted: Step = { send: NOTHING, until: '\r\n' };
  // A ping behind the commands: its pong says that they were carried out.
  const carriedOut = (commands: string): Step => ({
    send: Buffer.from(`${commands}PING\r\n`),
    until: 'PONG\r\n',
  });
  return {
    subscribe: subject => [greeted, carriedOut(`${CONNECT}SUB ${subject} 1\r\n`)],
    ping: Buffer.from('PING\r\n'),
    pong: Buffer.from('PONG\r\n'),
    publisher: [greeted, carriedOut(CONNECT)],
    publish: (subject, payload, count) =>
      Buffer.from(`PUB ${subject} ${Buffer.byteLength(payload)}\r\n${payload}\r\n`.repeat(count)),
  };
}
