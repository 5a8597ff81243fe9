/** Flags that a thread may have of its own; those of V8 belong to the process, and a thread refuses to start with them. */
const FLAG_OF_THREADS =
  /^--(?:(?:conditions|disable-warning|import)=|experimental-[a-z-]+$|(?:cpu|heap)-prof(?:-[a-z]+)?(?:=|$))/;
/** Of `NODE_OPTIONS`, which may hold credentials and is not given to threads: each thread writes a profile of its own. */
const PROFILE = /^--(?:cpu|heap)-prof(?:-[a-z]+)?(?:=|$)/;

/**
 * Flags of Node.js for a thread; absent: those of the process, as they are.
 * @param isSource the program is read as it is written: a thread has none of the resolve hooks of its launcher
 */
export function threadFlags(
  isSource: boolean,
  execArgv: readonly string[],
  nodeOptions: string,
): string[] | undefined {
  const profiles = nodeOptions.split(' ').filter(flag => PROFILE.test(flag));
  if (!isSource && profiles.length === 0) return undefined;
  const flags = execArgv.filter(flag => FLAG_OF_THREADS.test(flag));
  return [...flags, ...profiles, ...(isSource ? ['--conditions=msg-source'] : [])];
}
