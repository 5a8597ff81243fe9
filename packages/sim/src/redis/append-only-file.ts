import { Dispatcher } from './dispatcher.ts';
import { compile } from './lua/script.ts';
import { RedisState, type Write } from './state.ts';

/** Writes above which the older half becomes a part of the base. */
const REWRITE_AT = 20_000;

interface KeptWrite extends Write {
  /** Microseconds since the run began: the server's own clock may go back. */
  readonly writtenUs: number;
}

/** The disk of a server: a copy of the data, and the writes since then. */
export class AppendOnlyFile {
  readonly #base: RedisState;
  #writes: KeptWrite[] = [];
  /** The clock of the write that is repeated. */
  #clockUs = 0;

  /** @param keepsAtMost what `MAXLEN ~` left when the writes were made */
  constructor(keepsAtMost: (length: number) => number) {
    this.#base = new RedisState({ compile, nowUs: () => this.#clockUs, random: () => 0, keepsAtMost });
  }

  append(write: Write, writtenUs: number): void {
    this.#writes.push({ ...write, writtenUs });
    if (this.#writes.length >= REWRITE_AT) this.#repeat(this.#writes.splice(0, REWRITE_AT / 2));
  }

  /** Loses the writes after a moment, and gives the data of before to a server that starts. */
  load(into: RedisState, untilUs: number): void {
    this.#repeat(this.#writes.filter(({ writtenUs }) => writtenUs <= untilUs));
    this.#writes = [];
    into.takeDatabases(this.#base);
  }

  /** Begins anew with the data of another server. */
  begin(from: RedisState): void {
    this.#writes = [];
    this.#base.takeDatabases(from);
  }

  /** Loses everything. */
  empty(): void {
    this.#writes = [];
    this.#base.flushAll();
  }

  #repeat(writes: readonly Write[]): void {
    const commands = new Dispatcher(this.#base);
    const client = this.#base.newClient({ send: () => undefined, end: () => undefined });
    for (const { atUs, database, args } of writes) {
      this.#clockUs = atUs;
      client.database = database;
      commands.execute(commands.find(args), args, client);
    }
  }
}
