import { lua } from '@msg/redis';
import type { SharedStore } from '../../../stores/redis/shared-store.ts';
import type { LetterKeys } from './keys.ts';
import { ENTRY_ID } from './slice.ts';

const HIDE = lua('./hide.lua', import.meta.url);
const RESTORE = lua('./restore.lua', import.meta.url);

/** Ids that one script gets. */
const SLICE = 500;

/** Hides letters for a time. @returns the ids of those that it hid */
export async function hideLetters(
  store: SharedStore,
  keys: LetterKeys,
  sinks: readonly string[],
  ids: readonly string[],
  ms: number,
): Promise<readonly string[]> {
  const hidden = await inSlices(sinks, ids, (sink, some) =>
    store.run(HIDE, [keys.stream(sink), keys.hidden(sink)], [ms, ...some]),
  );
  return (hidden as string[][]).flat(); // as the script says
}

/** Brings hidden letters back. @returns how many */
export async function restoreLetters(
  store: SharedStore,
  keys: LetterKeys,
  sinks: readonly string[],
  ids: readonly string[],
): Promise<number> {
  const restored = await inSlices(sinks, ids, (sink, some) => store.run(RESTORE, [keys.hidden(sink)], some));
  return restored.reduce<number>((sum, count) => sum + Number(count), 0);
}

/** Runs a script for each sink: an id belongs to one of them. */
async function inSlices(
  sinks: readonly string[],
  ids: readonly string[],
  run: (sink: string, ids: readonly string[]) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const entries = ids.filter(id => ENTRY_ID.test(id));
  const answers: unknown[] = [];
  for (const sink of sinks)
    for (let begin = 0; begin < entries.length; begin += SLICE)
      answers.push(await run(sink, entries.slice(begin, begin + SLICE)));
  return answers;
}
