import type { EventMap, TypedEventEmitter } from 'centrifuge';

/** Nothing takes that long; a machine with other work is slow. */
const DEADLINE_MS = 60_000;

/** The Protobuf builds of 5.7 hand out offsets as Long objects; tests look at numbers, 0 being none. */
function withPlainOffsets(context: unknown): unknown {
  if (typeof context !== 'object' || context === null) return context;
  const copy: { offset?: unknown; streamPosition?: unknown } = { ...context };
  if (typeof copy.offset === 'object') copy.offset = Number(copy.offset) || undefined;
  const position = copy.streamPosition;
  if (typeof position === 'object' && position !== null && 'offset' in position) {
    copy.streamPosition = { ...position, offset: Number(position.offset) };
  }
  return copy;
}

type ContextOf<Events extends EventMap, Name extends keyof Events> = Parameters<Events[Name]>[0];

/** Keeps what a stock client or subscription emits, in order, and lets a test wait for it. */
export class EventLog<Events extends EventMap> {
  readonly #entries: { readonly name: keyof Events; readonly context: unknown }[] = [];
  readonly #taken = new Map<keyof Events, number>();
  #waiting: (() => void)[] = [];

  constructor(emitter: TypedEventEmitter<Events>, names: readonly (keyof Events)[]) {
    for (const name of names) {
      const listener = (context: unknown): void => this.#add(name, context);
      emitter.on(name, listener as Events[typeof name]); // every listener takes one context
    }
  }

  /** Names of all events so far. */
  get names(): readonly (keyof Events)[] {
    return this.#entries.map(({ name }) => name);
  }

  /** Every event of this name so far, taken or not. */
  all<Name extends keyof Events>(name: Name): ContextOf<Events, Name>[] {
    const found = this.#entries.filter(entry => entry.name === name);
    return found.map(({ context }) => context as ContextOf<Events, Name>);
  }

  /** Takes the next event of this name that was not taken yet; waits for it. */
  async next<Name extends keyof Events>(name: Name): Promise<ContextOf<Events, Name>> {
    const index = this.#taken.get(name) ?? 0;
    this.#taken.set(name, index + 1);
    await this.until(`${String(name)} no. ${index + 1}`, () => this.all(name).length > index);
    return this.all(name)[index] as ContextOf<Events, Name>;
  }

  /** Waits until there are `count` events of this name, and answers all of them. */
  async atLeast<Name extends keyof Events>(
    count: number,
    name: Name,
  ): Promise<readonly ContextOf<Events, Name>[]> {
    await this.until(`${count} × ${String(name)}`, () => this.all(name).length >= count);
    return this.all(name);
  }

  /** Waits for an event that makes the condition true. */
  async until(what: string, holds: () => boolean): Promise<void> {
    const deadline = Date.now() + DEADLINE_MS;
    while (!holds()) {
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`no ${what} in ${DEADLINE_MS} ms; events: ${this.#describe()}`);
      await this.#anyEvent(left);
    }
  }

  #add(name: keyof Events, context: unknown): void {
    this.#entries.push({ name, context: withPlainOffsets(context) });
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  #anyEvent(timeoutMs: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #describe(): string {
    return this.#entries.map(({ name, context }) => `${String(name)} ${JSON.stringify(context)}`).join('\n');
  }
}
