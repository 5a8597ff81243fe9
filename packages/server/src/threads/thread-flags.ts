/** Flags that a thread may have of its own; those of V8 belong to the process, and a thread refuses to start with them. */
const FLAG_OF_THREADS =
  /^--(?:(?:conditions|disable-warning|import)=|experimental-[a-z-]+$|(?:cpu|heap)-prof(?:-[a-z]+)?(?:=|$))/;
/** Of `NODE_OPTIONS`, which may hold credentials and is not given to threads: each thread writes a profile of its own. */
const PROFILE = /^--(?:cpu|heap)-prof(?:-[a-z]+)?(?:=|$)/;

/** Its value may be the next word; a thread without it does not start. */
const WITH_VALUE = /^--(?:(?:cpu|heap)-prof-(?:dir|interval|name)|conditions|disable-warning|import)$/;

/** Flags whose value was the next word, in one. */
function withValues(words: readonly string[]): readonly string[] {
  return words.map((word, index) => (WITH_VALUE.test(word) ? `${word}=${words[index + 1] ?? ''}` : word));
}

/**
 * Flags of Node.js for a thread; absent: those of the process, as they are.
 * @param isSource the program is read as it is written: a thread has none of the resolve hooks of its launcher
 */
export function threadFlags(
  isSource: boolean,
  execArgv: readonly string[],
  nodeOptions: string,
): string[] | undefined {
  const profiles = withValues(nodeOptions.split(' ')).filter(flag => PROFILE.test(flag));
  if (!isSource && profiles.length === 0) return undefined;
  const flags = withValues(execArgv).filter(flag => FLAG_OF_THREADS.test(flag));
  return [...flags, ...profiles, ...(isSource ? ['--conditions=msg-source'] : [])];
}
