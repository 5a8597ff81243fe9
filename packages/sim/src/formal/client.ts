import type { InProcessConnection, Push, RealtimeNode } from '@msg/engine';
import type { SubscribeResult } from '@msg/protocol';
import { CHANNEL, type HeldRead } from './node-broker.ts';
import { epochName, epochOf, textOf } from './store.ts';
import type { ClientState } from './trace.ts';

/** A client as the stock ones behave: it recovers from where it was. */
export class FormalClient {
  /** Its read of the store, while a subscribe waits for it. */
  read: HeldRead | null = null;
  /** Where its subscription is; 0 without one. */
  node = 0;
  #live = false;
  #connection: InProcessConnection | null = null;
  /** The node that the connection leads to. */
  #connectedTo = 0;
  /** Counts connections: what comes from an earlier one does not count. */
  #connections = 0;
  /** Counts subscribes: what an earlier one gets does not count. */
  #attempt = 0;
  /** Pushes that came in the turn of the reply; its promise is later. */
  #early: Push[] = [];
  #epoch = 0;
  #offset = 0;
  #base = 0;
  #view: number[] = [];
  #recovered = false;

  get phase(): string {
    if (this.node === 0) return 'off';
    if (this.#live) return 'live';
    if (this.read === null) return 'joining';
    return this.read.taken ? 'read' : 'reading';
  }

  get state(): ClientState {
    const [epoch, offset, base, recovered] = [this.#epoch, this.#offset, this.#base, this.#recovered];
    return { node: this.node, phase: this.phase, epoch, offset, base, view: this.#view, recovered };
  }

  async subscribe(number: number, node: RealtimeNode): Promise<void> {
    if (this.#connectedTo !== number) this.#hangUp();
    this.node = number;
    const attempt = ++this.#attempt;
    this.#connection ??= await this.#connect(number, node);
    const request = { recover: true, offset: this.#offset, epoch: epochName(this.#epoch) };
    this.#connection.subscribe(CHANNEL, request).then(
      result => {
        if (attempt === this.#attempt) this.#replied(result);
      },
      () => {
        if (attempt === this.#attempt) this.#ended();
      },
    );
  }

  leave(): void {
    this.read?.answer();
    this.#hangUp();
    this.#ended();
  }

  #connect(number: number, node: RealtimeNode): Promise<InProcessConnection> {
    this.#connectedTo = number;
    const connection = ++this.#connections;
    const isCurrent = (): boolean => connection === this.#connections;
    return node.connect({
      onPush: push => {
        if (isCurrent()) this.#pushed(push);
      },
      onClosed: () => {
        if (isCurrent()) this.#closed();
      },
    });
  }

  #closed(): void {
    this.#connection = null;
    this.#ended();
  }

  #hangUp(): void {
    const connection = this.#connection;
    this.#connections++;
    this.#connection = null;
    this.#connectedTo = 0;
    connection?.disconnect();
  }

  #replied({ recovered, epoch, offset, publications }: SubscribeResult): void {
    this.#recovered = recovered;
    this.#epoch = epochOf(epoch);
    if (recovered) this.#view = [...this.#view, ...publications.map(textOf)];
    else {
      this.#view = [];
      this.#base = offset;
    }
    this.#offset = publications.at(-1)?.offset ?? offset;
    this.read = null;
    this.#live = true;
    for (const push of this.#early.splice(0)) this.#pushed(push);
  }

  #pushed(push: Push): void {
    if (!this.#live) {
      if (this.node !== 0) this.#early.push(push);
      return;
    }
    if (push.pub !== null) {
      this.#offset = push.pub.offset;
      this.#view = [...this.#view, textOf(push.pub)];
    }
    if (push.unsubscribe !== null) this.#ended();
  }

  #ended(): void {
    this.#attempt++;
    this.node = 0;
    this.read = null;
    this.#live = false;
    this.#early = [];
  }
}
