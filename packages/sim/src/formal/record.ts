import { Stream } from '../kernel/stream.ts';
import type { Action, State, Trace } from './trace.ts';
import { FormalWorld } from './world.ts';

/** Steps by kind: one of those that can be taken is drawn from one of the groups, as the model draws. */
const GROUPS: readonly (readonly string[])[] = [
  ['publish'],
  ['subscribe', 'confirm', 'read', 'settle'],
  ['subscribe', 'confirm', 'read', 'settle'],
  ['deliver'],
  ['deliver'],
  ['lose', 'check', 'reconnect', 'leave'],
  ['trim', 'expire', 'flush', 'replicate', 'replicate', 'failOver', 'failOver'],
];

/** A random run of the code. */
export async function record(seed: string, count: number): Promise<Trace> {
  const stream = new Stream(seed);
  const world = new FormalWorld();
  await world.start();
  const first = world.state;
  const steps: { action: Action; state: State }[] = [];
  try {
    while (steps.length < count) {
      const action = drawn(stream, world);
      await world.take(action);
      if (world.errors.length > 0) throw new Error(`${action.name}: ${world.errors.join(', ')}`);
      steps.push({ action, state: world.state });
    }
  } finally {
    await world.stop();
  }
  return { first, steps };
}

function drawn(stream: Stream, world: FormalWorld): Action {
  const [client, node] = [stream.between(1, 2), stream.between(1, 2)];
  for (;;) {
    const possible = stream.pick(GROUPS).filter(name => world.can({ name, client, node }));
    if (possible.length > 0) return { name: stream.pick(possible), client, node };
  }
}

/** Runs of the code as a module of Quint, which the model takes step by step or refuses. */
export function moduleOf(traces: readonly Trace[]): string {
  return `module runs {
  import recovery.* from "./recovery"
  def stream(epoch: int, texts: List[int], first: int, listening: Set[int], waiting: List[int]): bool = and {
    w.store == { epoch: epoch, texts: texts, first: first }, w.listening == listening,
    [w.wire.get(1).length(), w.wire.get(2).length()] == waiting }
  def client(c: int, node: int, phase: str, at: List[int], texts: List[int], recovered: bool): bool = {
    val k = w.clients.get(c)
    and { k.phase == phase, phase == "off" or k.node == node, [k.epoch, k.offset, k.base] == at,
      k.view.foldl([], (l, p) => l.append(p.text)) == texts, k.reply.recovered == recovered }
  }
${traces.map(runOf).join('\n')}
}
`;
}

function runOf({ steps }: Trace, index: number): string {
  const lines = steps.map(({ action, state }) => `    .then(${callOf(action)}).expect(${stateOf(state)})`);
  return `  run run${index}Test = init\n${lines.join('\n')}`;
}

function callOf({ name, client, node }: Action): string {
  if (name === 'subscribe') return `subscribe(${client}, ${node})`;
  if (['read', 'settle', 'leave'].includes(name)) return `${name}(${client})`;
  return ['confirm', 'deliver', 'lose', 'check', 'reconnect'].includes(name) ? `${name}(${node})` : name;
}

function stateOf({ epoch, texts, first, listening, wire, clients }: State): string {
  const stream = `stream(${epoch}, [${texts}], ${first}, Set(${listening}), [${wire}])`;
  const those = clients.map(
    ({ node, phase, epoch: own, offset, base, view, recovered }, i) =>
      `client(${i + 1}, ${node}, "${phase}", [${own}, ${offset}, ${base}], [${view}], ${recovered})`,
  );
  return `and { ${[stream, ...those].join(', ')} }`;
}
