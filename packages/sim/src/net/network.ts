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
  /** Actors that nothing reaches, and which reach nothing, with the end of that. */
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
    const untilUs = this.#cutOff.get(actor.name) ?? 0;
    const atUs = Math.max(this.#kernel.nowUs, untilUs) + traits.latencyUs;
    const request = { socket, host, port, local, traits, draw };
    this.#kernel.schedule(this.#machines, { kind: 'net.request', atUs }, () => this.#requested(request));
    return socket;
  }

  /** A connection is refused or there as soon as its request arrives; the listening process takes it when it runs. */
  #requested({ socket, host, port, local, traits, draw }: Request): void {
    const { actor } = socket;
    const { nowUs } = this.#kernel;
    const listener = this.#listeners.get(`${host}:${port}`);
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
    this.#latest.set(actor.name, { from: actor, to: host, pipes: [there, back] });
    back.connected();
    this.#kernel.schedule(listener.actor, { kind: 'net.accept', atUs: nowUs }, () =>
      listener.accept(accepted),
    );
  }

  /** Resets the latest connection of an actor at both ends, each after a latency. */
  cut(actor: Actor): void {
    for (const pipe of this.#pipesOf(actor)) pipe.reset();
  }

  /** Nothing passes between an actor and the rest for a while; then everything arrives that was sent. */
  stall(actor: Actor, forMs: number, directions: 'both' | 'there' | 'back' = 'both'): void {
    const untilUs = this.#kernel.nowUs + forMs * 1000;
    const [there, back] = this.#pipesOf(actor);
    if (directions !== 'back') there?.stall(untilUs);
    if (directions !== 'there') back?.stall(untilUs);
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

function drawTraits(draw: Stream): LinkTraits {
  return {
    latencyUs: draw.between(100, 40_000),
    jitterUs: draw.pick([0, 500, 20_000]),
    windowBytes: draw.between(16, 256) * 1024,
    cutPercent: draw.pick([0, 5, 50]),
  };
}
