import type { Client } from '@msg/engine';
import type { VerifiedToken } from '../auth/tokens/claims.ts';
import type { RateLimits } from './rate-limits.ts';

/** The rate limits of connected clients (messaging details, section 13). All throw MSG_RATE_LIMITED. */
export class ClientLimits {
  readonly #limits: RateLimits;

  constructor(limits: RateLimits) {
    this.#limits = limits;
  }

  /**
   * Before a subscribe. Anonymous connections are not limited, nor are connections inside the process, whose opener takes
   * the limit.
   */
  async subscribe(client: Client, token: VerifiedToken | null): Promise<void> {
    if (client.user !== '' && client.transport.name !== 'in_process')
      await this.#limits.take('subscribe', client.user, token);
  }

  /** Before a declared channel opens because a client uses it: by user, anonymous ones by address. */
  open(client: Client): Promise<void> | undefined {
    return this.#limits.take('open', client.user || client.transport.remoteAddress);
  }

  /** Before a client's publish: by user, anonymous ones by address, in buckets apart from operators'. */
  publish(client: Client, channel: string, token: VerifiedToken | null): Promise<void> | undefined {
    const subject = client.user || client.transport.remoteAddress;
    return this.#limits.takePublish('publish-client', subject, channel, token);
  }
}
