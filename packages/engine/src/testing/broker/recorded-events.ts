import type { ClientInfo, Publication } from '@msg/protocol';
import type { AppendedState } from '../../append/contract.ts';
import type { BrokerEvents, StreamPosition } from '../../broker/contract.ts';

/** A publication that a broker reported to its node. */
export interface RecordedPublication {
  readonly channel: string;
  readonly publication: Publication;
  readonly position: StreamPosition;
  readonly delta: boolean;
  readonly previous: Publication | null;
  readonly isVolatile: boolean;
}

/** Records the events of a broker, and lets a case wait for them. */
export class RecordedEvents implements BrokerEvents {
  readonly publications: RecordedPublication[] = [];
  readonly states: { readonly channel: string; readonly state: AppendedState }[] = [];
  readonly announced: { kind: 'join' | 'leave'; channel: string; info: ClientInfo }[] = [];
  #waiting: (() => void)[] = [];

  publication(
    channel: string,
    publication: Publication,
    position: StreamPosition,
    delta: boolean,
    previous: Publication | null,
    isVolatile: boolean,
  ): void {
    this.publications.push({ channel, publication, position, delta, previous, isVolatile });
    this.#wake();
  }

  appended(channel: string, state: AppendedState): void {
    this.states.push({ channel, state });
    this.#wake();
  }

  join(channel: string, info: ClientInfo): void {
    this.announced.push({ kind: 'join', channel, info });
    this.#wake();
  }

  leave(channel: string, info: ClientInfo): void {
    this.announced.push({ kind: 'leave', channel, info });
    this.#wake();
  }

  /** Resolves when this many publications have arrived. */
  async arrived(count: number): Promise<void> {
    while (this.publications.length < count) await new Promise<void>(resolve => this.#waiting.push(resolve));
  }

  /** Resolves when this many states of append streams have arrived. */
  async appendedCount(count: number): Promise<void> {
    while (this.states.length < count) await new Promise<void>(resolve => this.#waiting.push(resolve));
  }

  /** Resolves when this many joins and leaves have arrived. */
  async announcedCount(count: number): Promise<void> {
    while (this.announced.length < count) await new Promise<void>(resolve => this.#waiting.push(resolve));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}
