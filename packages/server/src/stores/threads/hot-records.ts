import { BodyReader, BodyWriter, type LinkEnd } from '@msg/engine/threads';
import type { RevocationEntry, RevocationStore } from '../../auth/tokens/revocation/contract.ts';
import type { ChannelRecord } from '../../channels/record.ts';
import type { ChannelRegistry } from '../../channels/registry/contract.ts';
import type { RateDecision, RateLimiter } from '../../rate-limits/contract.ts';
import type { RateLimit } from '../../rate-limits/limit.ts';
import { StoreKind } from './calls.ts';
import { linkFailure } from './errors.ts';
import {
  readDecision,
  readRateQuestion,
  readRecord,
  readRevocation,
  writeDecision,
  writeRateQuestion,
  writeRecord,
  writeRevocation,
} from './hot-bodies.ts';

/** What a use of a channel and a publish ask of main: records of the ring, not calls (threads 3.1). */
export class HotQuestions implements RateLimiter {
  readonly #link: LinkEnd;
  readonly #writer = new BodyWriter();

  constructor(link: LinkEnd) {
    this.#link = link;
  }

  async take(
    bucket: string,
    subject: string,
    limits: readonly RateLimit[],
    count: number,
  ): Promise<RateDecision> {
    const body = writeRateQuestion(this.#writer.begin(), { bucket, subject, limits, count });
    return readDecision(await this.#ask(StoreKind.take, body));
  }

  async record(name: string): Promise<ChannelRecord | undefined> {
    return readRecord(await this.#ask(StoreKind.get, this.#writer.begin().text(name)), name);
  }

  async touch(name: string): Promise<ChannelRecord | undefined> {
    return readRecord(await this.#ask(StoreKind.touch, this.#writer.begin().text(name)), name);
  }

  async revocation(jti: string, user: string): Promise<RevocationEntry> {
    return readRevocation(await this.#ask(StoreKind.lookup, this.#writer.begin().text(jti).text(user)));
  }

  async #ask(kind: number, { body }: BodyWriter): Promise<BodyReader> {
    try {
      return new BodyReader(await this.#link.request(kind, body));
    } catch (error) {
      throw linkFailure(error);
    }
  }
}

/** The stores of main that hot questions are about. */
export interface HotStores {
  readonly registry: Pick<ChannelRegistry, 'get' | 'touch'>;
  readonly limiter: RateLimiter;
  readonly revocations: Pick<RevocationStore, 'lookup'>;
}

/** Answers the hot questions of a thread. */
export function answerHotQuestions(link: LinkEnd, { registry, limiter, revocations }: HotStores): void {
  const writer = new BodyWriter();
  // A body is begun when the answer is there: others are written meanwhile.
  link.handle(StoreKind.take, async body => {
    const { bucket, subject, limits, count } = readRateQuestion(new BodyReader(body));
    const decision = await limiter.take(bucket, subject, limits, count);
    return writeDecision(writer.begin(), decision).copy();
  });
  link.handle(StoreKind.get, async body => {
    const record = await registry.get(new BodyReader(body).text());
    return writeRecord(writer.begin(), record).copy();
  });
  link.handle(StoreKind.touch, async body => {
    const record = await registry.touch(new BodyReader(body).text());
    return writeRecord(writer.begin(), record).copy();
  });
  link.handle(StoreKind.lookup, async body => {
    const from = new BodyReader(body);
    const entry = await revocations.lookup(from.text(), from.text());
    return writeRevocation(writer.begin(), entry).copy();
  });
}
