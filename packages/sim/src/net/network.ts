import type { Actor } from '../kernel/actor.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Stream } from '../kernel/stream.ts';
import { type LinkTraits, MACHINES, Pipe } from './pipe.ts';
import { type Address, SimSocket } from './socket.ts';

/** What a listener does with a connection that arrives. */
type Accept = (socket: SimSocket) => void;

interface Listener {
  readonly actor: Actor;
  readonly accept: Accept;
}

/** A connection of the world, as faults see it. */
export interface Connection {
  readonly from: Actor;
  readonly to: string;
  readonly pipes: readonly [there: Pipe, back: Pipe];
}

/** Ways of a connection, seen from who opened it. */
type Directions = 'both' | 'there' | 'back';

const networks = new WeakMap<Kernel, Network>();

/** The network of a run, made at the first call. */
export function networkOf(kernel: Kernel): Network {
  const network = networks.get(kernel) ?? new Network(kernel);
  networks.set(kernel, network);
  return network;
}

/** What asks for a connection. */
interface Request {
  readonly socket: SimSocket;
  readonly host: string;
  readonly port: number;
  readonly local: Address;
  readonly traits: LinkTraits;
  readonly draw: Stream;
}

/** Joins actors by host names and ports. Every connection has its own latency and window, drawn from its ends' names. */
export class Network {
  readonly #kernel: Kernel;
  readonly #listeners = new Map<string, Listener>();
  /** The latest connection of each actor: what a fault can hit. */
  readonly #latest = new Map<string, Connection>();
  /** Connections that may be open, by {@link pairOf}. */
  readonly #open = new Map<string, Connection[]>();
  /** Addresses whose connections go to others. */
  readonly #balanced = new Map<string, () => Listener | undefined>();
  /** Actors that nothing reaches, and which reach nothing, and pairs of an actor and a host, with the end of that. */
  readonly #cutOff = new Map<string, number>();
  /** Addresses by host name, as the name service answers. */
  readonly #names = new Map<string, readonly string[]>();
  /** Names for which the world made a certificate. */
  readonly certificates = new Set<string>();
  /** Answers for machines, which go on while a process of theirs stands still or is gone. */
  readonly #machines: Actor;
  #ports = 49_152;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#machines = kernel.actor(MACHINES);
  }

  /** The actor that runs answers connections to this address until it is killed or closes. */
  listen(host: string, port: number, accept: Accept): () => void {
    const actor = this.#kernel.owner('a listener');
    const address = `${host}:${port}`;
    const listener = { actor, accept };
    this.#listeners.set(address, listener);
    const close = (): void => {
      if (this.#listeners.get(address) === listener) this.#listeners.delete(address);
    };
    actor.onKill.add(close);
    return close;
  }

  /** A load balancer: connections to an address go to others in turn, to those at which an actor listens. */
  balance(host: string, port: number, targets: readonly string[]): void {
    let turn = 0;
    this.#balanced.set(`${host}:${port}`, () => {
      for (let left = targets.length; left > 0; left--) {
        const listener = this.#listeners.get(`${targets[turn++ % targets.length]}:${port}`);
        if (listener !== undefined) return listener;
      }
      return undefined;
    });
  }

  /** What the name service answers from now on; nothing: the name is not known. */
  name(host: string, addresses: readonly string[]): void {
    this.#names.set(host, addresses);
  }

  addressesOf(host: string): readonly string[] {
    return this.#names.get(host) ?? [];
  }

  /** Begins a connection of the actor that runs. */
  connect(socket: SimSocket, host: string, port: number): SimSocket {
    const { actor } = socket;
    const draw = actor.stream(`connection to ${host}`);
    const traits = drawTraits(draw);
    const local = { address: `10.0.0.${(this.#ports % 250) + 1}`, port: this.#ports++ };
    const endsUs = [actor.name, pairOf(actor, host)].map(name => this.#cutOff.get(name) ?? 0);
    const atUs = Math.max(this.#kernel.nowUs, ...endsUs) + traits.latencyUs;
    const request = { socket, host, port, local, traits, draw };
    this.#kernel.schedule(this.#machines, { kind: 'net.request', atUs }, () => this.#requested(request));
    return socket;
  }

  /** A connection is refused or there as soon as its request arrives; the listening process takes it when it runs. */
  #requested({ socket, host, port, local, traits, draw }: Request): void {
    const { actor } = socket;
    const { nowUs } = this.#kernel;
    const address = `${host}:${port}`;
    const listener = this.#balanced.get(address)?.() ?? this.#listeners.get(address);
    if (listener === undefined) {
      const atUs = nowUs + traits.latencyUs;
      this.#kernel.schedule(actor, { kind: 'net.refused', atUs }, () => socket.failed('ECONNREFUSED'));
      return;
    }
    if (socket.destroyed || actor.state === 'killed') return;
    const there = new Pipe(this.#kernel, actor, traits, draw);
    const back = new Pipe(this.#kernel, listener.actor, traits, listener.actor.stream(`to ${actor.name}`));
    const remote = { address: host, port };
    const accepted = new SimSocket({ allowHalfOpen: true, actor: listener.actor });
    socket.join({ incoming: back, outgoing: there }, local, remote);
    accepted.join({ incoming: there, outgoing: back }, remote, local);
    accepted.connecting = false;
    this.#note({ from: actor, to: host, pipes: [there, back] });
    back.connected();
    this.#kernel.schedule(listener.actor, { kind: 'net.accept', atUs: nowUs }, () =>
      listener.accept(accepted),
    );
  }

  #note(connection: Connection): void {
    const { from, to } = connection;
    const open = this.#between(from, to).filter(({ pipes }) => !pipes.every(({ isClosed }) => isClosed));
    this.#open.set(pairOf(from, to), [...open, connection]);
    this.#latest.set(from.name, connection);
  }

  #between(from: Actor, host: string): readonly Connection[] {
    return this.#open.get(pairOf(from, host)) ?? [];
  }

  /** Resets all connections of an actor to a host at both ends, each after a latency. */
  cutBetween(actor: Actor, host: string): void {
    for (const { pipes } of this.#between(actor, host)) for (const pipe of pipes) pipe.reset();
  }

  /** As {@link stall}, for all connections of an actor to a host. */
  stallBetween(actor: Actor, host: string, forMs: number, directions: Directions = 'both'): void {
    const untilUs = this.#kernel.nowUs + forMs * 1000;
    for (const { pipes } of this.#between(actor, host)) stallPipes(pipes, untilUs, directions);
    if (directions === 'both') this.#cutOff.set(pairOf(actor, host), untilUs);
  }

  /** All connections of an actor to a host are dead, and neither end is told. */
  silenceBetween(actor: Actor, host: string): void {
    for (const { pipes } of this.#between(actor, host)) stallPipes(pipes, Number.POSITIVE_INFINITY, 'both');
  }

  /** Resets the latest connection of an actor at both ends, each after a latency. */
  cut(actor: Actor): void {
    for (const pipe of this.#pipesOf(actor)) pipe.reset();
  }

  /** Nothing passes between an actor and the rest for a while; then everything arrives that was sent. */
  stall(actor: Actor, forMs: number, directions: Directions = 'both'): void {
    const untilUs = this.#kernel.nowUs + forMs * 1000;
    stallPipes(this.#pipesOf(actor), untilUs, directions);
    if (directions === 'both') this.#cutOff.set(actor.name, untilUs);
  }

  /** The latest connection is dead, and neither end is told. */
  silence(actor: Actor): void {
    for (const pipe of this.#pipesOf(actor)) pipe.stall(Number.POSITIVE_INFINITY);
  }

  #pipesOf(actor: Actor): readonly Pipe[] {
    return this.#latest.get(actor.name)?.pipes ?? [];
  }
}

function stallPipes([there, back]: readonly Pipe[], untilUs: number, directions: Directions): void {
  if (directions !== 'back') there?.stall(untilUs);
  if (directions !== 'there') back?.stall(untilUs);
}

/** Every connection of an actor to a host. */
function pairOf({ name }: Actor, host: string): string {
  return `${name} to ${host}`;
}

function drawTraits(draw: Stream): LinkTraits {
  return {
    latencyUs: draw.between(100, 40_000),
    jitterUs: draw.pick([0, 500, 20_000]),
    windowBytes: draw.between(16, 256) * 1024,
    cutPercent: draw.pick([0, 5, 50]),
  };
}
