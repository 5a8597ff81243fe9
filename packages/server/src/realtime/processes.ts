import { processOf } from '@msg/engine/internal';

/** What nodes answered, by process: one with threads has several (threads 2). */
export function byProcess<Item>(
  items: Iterable<Item>,
  idOf: (item: Item) => string,
): ReadonlyMap<string, readonly [Item, ...Item[]]> {
  const processes = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const id = processOf(idOf(item));
    const others = processes.get(id);
    if (others === undefined) processes.set(id, [item]);
    else others.push(item);
  }
  return processes;
}
