/** A step of the world: what happens, to which client, on which node. */
export interface Action {
  readonly name: string;
  readonly client: number;
  readonly node: number;
}

/** A client as the model and the code have it. */
export interface ClientState {
  /** Where its subscription is; 0 without one. */
  readonly node: number;
  readonly phase: string;
  readonly epoch: number;
  readonly offset: number;
  readonly base: number;
  /** The texts that its application got since it was last told that something may be missing. */
  readonly view: readonly number[];
  /** Its last reply said `recovered: true`. */
  readonly recovered: boolean;
}

/** What model and code have in common, after a step. */
export interface State {
  readonly epoch: number;
  readonly texts: readonly number[];
  readonly first: number;
  /** Nodes that are subscribed at the broker. */
  readonly listening: readonly number[];
  /** How many publications are on their way to each node. */
  readonly wire: readonly number[];
  readonly clients: readonly ClientState[];
}

/** One run: the state at first, and each step with the state after it. */
export interface Trace {
  readonly first: State;
  readonly steps: readonly { readonly action: Action; readonly state: State }[];
}

/** Values of Quint as the model writes them; the members are those of `World` in recovery.qnt. */
interface ModelStore {
  readonly epoch: number;
  readonly texts: readonly number[];
  readonly first: number;
}
interface ModelClient {
  readonly node: number;
  readonly phase: string;
  readonly epoch: number;
  readonly offset: number;
  readonly base: number;
  readonly view: readonly { readonly text: number }[];
  readonly reply: { readonly recovered: boolean };
}
interface ModelWorld {
  readonly store: ModelStore;
  readonly listening: readonly number[];
  readonly wire: ReadonlyMap<number, readonly unknown[]>;
  readonly clients: ReadonlyMap<number, ModelClient>;
}
interface ModelStep {
  readonly w: ModelWorld;
  readonly 'mbt::actionTaken': string;
  readonly 'mbt::nondetPicks': Readonly<Record<'c' | 'n', { readonly value: unknown }>>;
}

/** Reads a trace in the Informal Trace Format. */
export function traceOf(text: string): Trace {
  const { states } = JSON.parse(text, decoded) as { states: ModelStep[] }; // written by quint, see traces()
  const [first, ...steps] = states.map(({ w, 'mbt::actionTaken': name, 'mbt::nondetPicks': { c, n } }) => ({
    action: { name, client: Number(c.value), node: Number(n.value) },
    state: stateOf(w),
  }));
  if (first === undefined) throw new Error('a trace without a state');
  return { first: first.state, steps };
}

function stateOf({ store, listening, wire, clients }: ModelWorld): State {
  return {
    epoch: store.epoch,
    texts: store.texts,
    first: store.first,
    listening: listening.toSorted((a, b) => a - b),
    wire: inOrder(wire).map(({ length }) => length),
    clients: inOrder(clients).map(({ node, phase, epoch, offset, base, view, reply: { recovered } }) => ({
      node: phase === 'off' ? 0 : node,
      phase,
      epoch,
      offset,
      base,
      view: view.map(publication => publication.text),
      recovered,
    })),
  };
}

function inOrder<T>(map: ReadonlyMap<number, T>): T[] {
  return [...map].toSorted(([a], [b]) => a - b).map(([, value]) => value);
}

/** Numbers, sets and maps of the format. */
function decoded(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('#bigint' in value) return Number(value['#bigint']);
  if ('#set' in value) return value['#set'];
  if ('#map' in value) return new Map(value['#map'] as [unknown, unknown][]);
  return value;
}
