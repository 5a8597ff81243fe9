import type { Bytes } from '../../src/redis/reply.ts';
import { Session } from '../../src/redis/session.ts';
import { type RedisOptions, RedisState } from '../../src/redis/state.ts';

/** A state whose clock a test moves by hand. */
export class TestState {
  nowMs = 1_000_000;
  readonly state: RedisState;

  constructor(options: Partial<RedisOptions> = {}) {
    let draws = 0;
    this.state = new RedisState({
      nowUs: () => this.nowMs * 1000,
      random: () => (draws++ % 10) / 10,
      compile: () => {
        throw new Error('no script is compiled');
      },
      ...options,
    });
  }

  connect(): Connected {
    return new Connected(this.state);
  }
}

/** A connection that keeps what the server sent. */
export class Connected {
  received: Bytes = '';
  hasEnded = false;
  readonly session: Session;

  constructor(state: RedisState) {
    this.session = new Session(state, {
      send: bytes => {
        this.received += bytes;
      },
      end: () => {
        this.hasEnded = true;
      },
    });
  }

  /** Sends a command and takes everything that has arrived since the last one. */
  ask(...args: readonly Bytes[]): Bytes {
    this.session.receive(request(args));
    return this.take();
  }

  take(): Bytes {
    const bytes = this.received;
    this.received = '';
    return bytes;
  }
}

export function request(args: readonly Bytes[]): Bytes {
  return `*${args.length}\r\n${args.map(text => `$${text.length}\r\n${text}\r\n`).join('')}`;
}
