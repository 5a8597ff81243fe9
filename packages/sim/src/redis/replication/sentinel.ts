import type { Actor } from '../../kernel/actor.ts';
import { type Kernel, SimulatorError } from '../../kernel/kernel.ts';
import { networkOf } from '../../net/network.ts';
import type { SimSocket } from '../../net/socket.ts';
import type { CommandTable } from '../command.ts';
import { Dispatcher } from '../dispatcher.ts';
import type { Place } from '../place.ts';
import { Session } from '../session.ts';
import { RedisState } from '../state.ts';
import { type SentinelView, sentinelTable } from './sentinel-commands.ts';

const SWITCHED = '+switch-master';

/** A Sentinel of the world: says which server is the master as far as it knows, and tells its subscribers of a change. */
export class Sentinel {
  readonly place: Place;
  readonly actor: Actor;
  readonly #kernel: Kernel;
  readonly #state: RedisState;
  readonly #table: CommandTable;
  #view: SentinelView;

  /** Its actor has the name of its host. */
  constructor(kernel: Kernel, place: Place, view: SentinelView) {
    this.#kernel = kernel;
    this.place = place;
    this.#view = view;
    this.actor = kernel.actor(place.host);
    this.#table = sentinelTable(() => this.#view);
    const draw = this.actor.stream('sentinel');
    this.#state = new RedisState({
      nowUs: () => kernel.nowUs,
      random: () => draw.fraction(),
      compile: () => {
        throw new SimulatorError('a Sentinel runs no scripts');
      },
    });
    this.#state.unknown = command =>
      kernel.stop(new SimulatorError(`SIM_NOT_SIMULATED: the command ${command} of a Sentinel`));
  }

  /** Listens from this moment of the world on. */
  startAt(ms: number): void {
    const { host, port } = this.place;
    this.#kernel.at(ms, this.actor, 'start', () => {
      networkOf(this.#kernel).listen(host, port, socket => this.#accept(socket));
    });
  }

  /** Learns of a new master at a moment of the world, and tells its subscribers. */
  learnsAt(ms: number, master: Place, replicas: readonly Place[]): void {
    this.#kernel.at(ms, this.actor, 'sentinel.switch', () => {
      const before = this.#view;
      this.#view = { ...before, master, replicas };
      const places = [before.master, master].map(({ host, port }) => `${host} ${port}`);
      const args = ['PUBLISH', SWITCHED, [before.name, ...places].join(' ')];
      const commands = new Dispatcher(this.#state, this.#table);
      const client = this.#state.newClient({ send: () => undefined, end: () => undefined });
      commands.execute(commands.find(args), args, client);
      this.#state.flush();
    });
  }

  #accept(socket: SimSocket): void {
    const output = {
      send: (bytes: string) => {
        if (!socket.destroyed && !socket.writableEnded) socket.write(Buffer.from(bytes, 'latin1'));
      },
      end: () => void socket.end(),
    };
    const session = new Session(this.#state, output, this.#table);
    socket.on('data', (bytes: Buffer) => session.receive(bytes.toString('latin1')));
    socket.on('end', () => socket.end());
    socket.on('error', () => undefined); // its end is told by `close`
    socket.on('close', () => session.closed());
  }
}
