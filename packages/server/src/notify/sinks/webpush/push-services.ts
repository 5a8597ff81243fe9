import type { Clock } from '@msg/foundation/clock';
import { AtMost } from '@msg/foundation/promises';
import { SinkFailure } from '../failure.ts';
import { MAX_CONNECTIONS } from './push-fetch.ts';
import type { VapidKey } from './vapid.ts';

/** Life of a header, and how long before its end another one is made. Source: RFC 8292, section 2: at most 24 h. */
const TOKEN_SECONDS = 12 * 3600;
const RENEWED_SECONDS = 3600;
/** Push services that are remembered; recipients name them. */
const MAX_SERVICES = 200;
/** How long a message waits for its turn. */
const TURN_MS = 60_000;

interface PushService {
  readonly turns: AtMost;
  authorization: string;
  /** Unix seconds. */
  expires: number;
}

/** What is kept for each push service: the header that says who sends, and the turns of its messages. */
export class PushServices {
  readonly #key: VapidKey;
  readonly #subject: string;
  readonly #clock: Clock;
  /** By origin, the one used last at the end. */
  readonly #services = new Map<string, PushService>();

  constructor(key: VapidKey, subject: string, clock: Clock) {
    this.#key = key;
    this.#subject = subject;
    this.#clock = clock;
  }

  /** The header `Authorization` for an origin. */
  authorization(origin: string): string {
    const service = this.#serviceOf(origin);
    const now = Math.floor(this.#clock.now() / 1000);
    if (now > service.expires - RENEWED_SECONDS) {
      service.expires = now + TOKEN_SECONDS;
      service.authorization = this.#key.authorization(origin, this.#subject, service.expires);
    }
    return service.authorization;
  }

  /** Runs a send when the origin has a connection for it. @throws SinkFailure MSG_SINK_UNAVAILABLE after a minute */
  inTurn<T>(origin: string, send: () => Promise<T>): Promise<T> {
    return this.#serviceOf(origin).turns.run(send);
  }

  #serviceOf(origin: string): PushService {
    const service = this.#services.get(origin) ?? {
      turns: new AtMost({ most: MAX_CONNECTIONS, clock: this.#clock, waitMs: TURN_MS, late: tooMany }),
      authorization: '',
      expires: 0,
    };
    this.#services.delete(origin);
    this.#services.set(origin, service);
    const [oldest = ''] = this.#services.keys();
    if (this.#services.size > MAX_SERVICES) this.#services.delete(oldest);
    return service;
  }
}

function tooMany(): SinkFailure {
  const text = `the push service had no free connection within ${TURN_MS / 1000} s`;
  return new SinkFailure(true, 'MSG_SINK_UNAVAILABLE', text);
}
