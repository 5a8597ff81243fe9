import type { RealtimeNode } from '@msg/engine';
import { type FollowedChannel, Follower, type Wish } from './follower.ts';
import { InProcessLink } from './in-process-link.ts';
import type { ClientCommand, Link, LinkEvents, ServerMessage } from './link.ts';
import { MemoryLink } from './memory-link.ts';

export type LinkKind = 'json' | 'protobuf' | 'in-process';

/** How a client wants to follow a channel. */
export type Manner = Pick<Wish, 'delta' | 'compaction' | 'rejectUnrecovered'>;

/**
 * A client as the stock ones behave: it keeps what it wants to follow and where it stopped, subscribes again
 * when told so, and recovers. It acts only when the scenario lets it.
 */
export class ModelClient implements LinkEvents {
  /** Also its user. */
  readonly name: string;
  readonly kind: LinkKind;
  readonly followers: readonly Follower[];
  readonly #node: RealtimeNode;
  readonly #violation: (text: string) => void;
  /** By channel name. */
  readonly #wanted = new Map<string, Manner>();
  /** Names of the channels by their numbers, of this connection. */
  readonly #names = new Map<number, string>();
  /** Ids of commands without a reply. */
  readonly #unanswered = new Set<number>();
  /** Codes with which the server was told to end the connection. */
  readonly #endings = new Set<number>();
  /** Of this connection: the client was slow at some time. */
  #wasSlow = false;
  #link: Link | null = null;
  #connection = 0;
  #lastId = 0;

  constructor(
    node: RealtimeNode,
    name: string,
    kind: LinkKind,
    channels: readonly FollowedChannel[],
    violation: (text: string) => void,
  ) {
    this.#node = node;
    this.name = name;
    this.kind = kind;
    this.#violation = text => violation(`${name}: ${text}`);
    this.followers = channels.map(channel => new Follower(channel, this.#violation));
  }

  get connected(): boolean {
    return this.#link !== null;
  }

  get wantsAnything(): boolean {
    return this.#wanted.size > 0;
  }

  /** Opens a connection; with it, in one frame, go the subscribes for everything that is wanted. */
  connect(): void {
    if (this.#link !== null) return;
    const connection = ++this.#connection;
    // What comes from an earlier connection is not this one's.
    const events: LinkEvents = {
      received: message => {
        if (connection === this.#connection) this.received(message);
      },
      closed: code => {
        if (connection === this.#connection) this.closed(code);
      },
    };
    this.#wasSlow = false;
    const inProcess = this.kind === 'in-process';
    this.#link = inProcess
      ? new InProcessLink(this.#node, this.name, events)
      : new MemoryLink(this.#node, this.kind, events);
    const subscribes = this.#resubscribes();
    this.#send(
      inProcess ? subscribes : [{ kind: 'connect', id: this.#id(), token: this.name }, ...subscribes],
    );
  }

  hangUp(): void {
    this.#connection++;
    this.#link?.hangUp();
    this.#gone();
  }

  subscribe(follower: Follower, manner: Manner, position: Omit<Wish, keyof Manner>): void {
    this.#wanted.set(follower.channel.name, this.#possible(manner));
    if (this.#link === null || !follower.idle) return;
    this.#send([follower.subscribe(this.#id(), { ...this.#possible(manner), ...position })]);
  }

  unsubscribe(follower: Follower): void {
    // In-process answers are promises: two for one channel in one turn would lose their order.
    if (this.kind === 'in-process' && follower.subscribing) return;
    this.#wanted.delete(follower.channel.name);
    if (this.#link === null || follower.leaving) return;
    const id = this.#id();
    follower.unsubscribe(id);
    this.#send([{ kind: 'unsubscribe', id, channel: follower.channel.name }]);
  }

  /** In-process connections do not publish. */
  publish(channel: string, text: string): void {
    if (this.#link === null || this.kind === 'in-process') return;
    this.#send([{ kind: 'publish', id: this.#id(), channel, text }]);
  }

  stopReading(): void {
    if (this.#link === null) return;
    this.#wasSlow = true;
    this.#link.stopReading();
  }

  readAgain(): void {
    this.#link?.readAgain();
  }

  /** The server is told to end this connection. */
  endedByServer(code: number): void {
    if (this.#link !== null) this.#endings.add(code);
  }

  /** Subscribes again to what was lost. */
  react(): void {
    if (this.#link !== null) this.#send(this.#resubscribes());
  }

  observe(): void {
    for (const follower of this.followers) follower.observe();
  }

  /** When all is calm: is everything here, and answered? */
  checkComplete(): void {
    for (const follower of this.followers) {
      follower.checkComplete();
      const { name } = follower.channel;
      if (this.#link !== null && this.#wanted.has(name) !== follower.live) {
        this.#violation(`${name}: ${follower.live ? 'subscribed, unwanted' : 'wanted, not subscribed'}`);
      }
    }
    if (this.#unanswered.size > 0) this.#violation(`no reply to commands ${[...this.#unanswered]}`);
  }

  received(message: ServerMessage): void {
    switch (message.kind) {
      case 'reply':
        this.#replied(message);
        return;
      case 'publication':
        this.#follower(message)?.published(message.publication);
        return;
      case 'announcement':
        this.#follower(message)?.announced();
        return;
      case 'unsubscribed':
        this.#unsubscribed(message.channel, message.code);
    }
  }

  closed(code: number): void {
    if (!this.#mayClose(code)) this.#violation(`the connection was closed with ${code}, for no reason`);
    this.#gone();
  }

  #replied({ id, error, answer }: Extract<ServerMessage, { kind: 'reply' }>): void {
    if (!this.#unanswered.delete(id)) this.#violation(`a reply to command ${id}, which waits for none`);
    for (const follower of this.followers) {
      if (!follower.replied(id, error, answer)) continue;
      if (answer !== null && answer.channelId > 0) this.#names.set(answer.channelId, follower.channel.name);
      return;
    }
    // A failed publish is told as 100; whether it failed is the broker's affair.
    if (error !== 0 && error !== 100) this.#violation(`command ${id} was refused with ${error}`);
  }

  #unsubscribed(channel: string, code: number): void {
    const follower = this.#named(channel);
    if (follower === undefined) return;
    if (code < 2500 && follower.live) this.#wanted.delete(channel);
    follower.unsubscribed(code);
  }

  #mayClose(code: number): boolean {
    if (this.#endings.has(code)) return true;
    if (code === 3010) return this.followers.some(follower => follower.subscribeMayBeInconsistent);
    if (code === 3004) return this.followers.some(follower => follower.brokerFailedDuringSubscribe);
    return (code === 3008 || code === 3009) && this.#wasSlow;
  }

  #gone(): void {
    this.#link = null;
    this.#names.clear();
    this.#unanswered.clear();
    this.#endings.clear();
    for (const follower of this.followers) follower.disconnected();
  }

  #resubscribes(): ClientCommand[] {
    const commands: ClientCommand[] = [];
    for (const follower of this.followers) {
      const manner = this.#wanted.get(follower.channel.name);
      if (manner === undefined || !follower.idle) continue;
      const { offset, epoch } = follower.last ?? { offset: 0, epoch: '' };
      commands.push(
        follower.subscribe(this.#id(), { ...manner, recover: follower.last !== null, offset, epoch }),
      );
    }
    return commands;
  }

  /** In-process connections would have to wait for a result before they know what a number means. */
  #possible(manner: Manner): Manner {
    return this.kind === 'in-process' ? { ...manner, compaction: false } : manner;
  }

  #follower({ channel, channelId }: { channel: string; channelId: number }): Follower | undefined {
    if (channel !== '') return this.#named(channel);
    const name = this.#names.get(channelId);
    if (name === undefined) this.#violation(`a push for the unknown channel number ${channelId}`);
    return name === undefined ? undefined : this.#named(name);
  }

  #named(channel: string): Follower | undefined {
    const follower = this.followers.find(candidate => candidate.channel.name === channel);
    if (follower === undefined) this.#violation(`a push for the unknown channel '${channel}'`);
    return follower;
  }

  #send(commands: readonly ClientCommand[]): void {
    if (commands.length > 0) this.#link?.send(commands);
  }

  #id(): number {
    this.#unanswered.add(++this.#lastId);
    return this.#lastId;
  }
}
