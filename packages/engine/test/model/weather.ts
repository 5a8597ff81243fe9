import type {
  BrokerOperation,
  Fault,
  FaultyBroker,
  PauseControl,
  PublicationPause,
} from '@msg/engine/testing';

/**
 * What the test does to the broker of one channel. It remembers whatever can cost a client its continuity, so
 * that the model can tell a justified interruption from one out of thin air.
 */
export class Weather {
  readonly #broker: FaultyBroker;
  readonly #channel: string;
  #incidents = 0;
  #held: PublicationPause | null = null;
  #gates: PauseControl[] = [];
  #drops: Fault[] = [];
  #failures: Fault[] = [];

  constructor(broker: FaultyBroker, channel: string) {
    this.#broker = broker;
    this.#channel = channel;
  }

  /** Grows with everything that can cost a subscription its continuity; an interruption needs such a cause. */
  get incidents(): number {
    return this.#incidents + hits(this.#drops) + (this.#held?.hits ?? 0);
  }

  /** Publications are on their way that others may have overtaken. */
  get publicationsUnderWay(): boolean {
    return this.#held !== null;
  }

  /** Grows with every call that failed. */
  get failures(): number {
    return hits(this.#failures);
  }

  drop(times: number): void {
    this.#drops.push(this.#broker.dropPublications({ channel: this.#channel, times }));
  }

  hold(): void {
    this.#held ??= this.#broker.holdPublications(this.#channel);
  }

  passHeld(count: number): void {
    this.#held?.pass(count);
  }

  dropHeld(count: number): void {
    this.#held?.drop(count);
  }

  endHold(): void {
    if (this.#held === null) return;
    this.#incidents += this.#held.hits;
    this.#held.open();
    this.#held = null;
  }

  delay(operation: BrokerOperation, moment: 'before' | 'after', times: number): void {
    this.#gates.push(this.#broker.delay(operation, { channel: this.#channel, moment, times }));
  }

  /** Opens one of the gates that calls may wait at. */
  openGate(choice: number): void {
    if (this.#gates.length === 0) return;
    const [gate] = this.#gates.splice(choice % this.#gates.length, 1);
    gate?.open();
  }

  fail(operation: BrokerOperation): void {
    this.#failures.push(this.#broker.fail(operation, { channel: this.#channel }));
  }

  async changeEpoch(): Promise<void> {
    this.#incidents++;
    await this.#broker.changeEpoch(this.#channel);
  }

  trim(): Promise<void> {
    return this.#broker.trimHistory(this.#channel);
  }

  /** Nothing goes wrong from here on. */
  clear(): void {
    this.endHold();
    for (const fault of [...this.#drops, ...this.#failures]) fault.end();
    while (this.#gates.length > 0) this.openGate(0);
  }
}

function hits(faults: readonly Fault[]): number {
  return faults.reduce((sum, fault) => sum + fault.hits, 0);
}
