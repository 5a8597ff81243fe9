import type { Actor } from '../kernel/actor.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Stream } from '../kernel/stream.ts';
import { type LinkTraits, Pipe } from './pipe.ts';
import { SimSocket } from './socket.ts';

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
  #ports = 49_152;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
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
    const target = this.#listeners.get(`${host}:${port}`);
    if (target === undefined) {
      this.#kernel.schedule(actor, { kind: 'net.refused', atUs }, () => socket.failed('ECONNREFUSED'));
      return socket;
    }
    this.#kernel.schedule(target.actor, { kind: 'net.accept', atUs }, () => {
      const there = new Pipe(this.#kernel, actor, traits, draw);
      const back = new Pipe(this.#kernel, target.actor, traits, target.actor.stream(`to ${actor.name}`));
      const remote = { address: host, port };
      const accepted = new SimSocket({ allowHalfOpen: true });
      socket.join({ incoming: back, outgoing: there }, local, remote);
      accepted.join({ incoming: there, outgoing: back }, remote, local);
      accepted.connecting = false;
      this.#latest.set(actor.name, { from: actor, to: host, pipes: [there, back] });
      back.connected();
      target.accept(accepted);
    });
    return socket;
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
