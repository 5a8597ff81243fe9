// Loaded into a server (`--import`): says on SIGUSR2 how many characters of source ran since the last time, each as often as
// it ran. Native code counts nothing.
import { type Profiler, Session } from 'node:inspector';

/** A function's own characters, each times its count: a range inside another one is of what it leaves out. */
function charactersOf(ranges: readonly Profiler.CoverageRange[]): number {
  const around: Profiler.CoverageRange[] = [];
  let characters = 0;
  for (const range of ranges) {
    while ((around.at(-1)?.endOffset ?? Infinity) < range.endOffset) around.pop();
    const more = range.count - (around.at(-1)?.count ?? 0);
    characters += more * (range.endOffset - range.startOffset);
    around.push(range);
  }
  return characters;
}

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
process.on('SIGUSR2', () => {
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    const functions = result.flatMap(script => (script.url === import.meta.url ? [] : script.functions));
    const characters = functions.reduce((sum, { ranges }) => sum + charactersOf(ranges), 0);
    process.stderr.write(`{"answer":${characters}}\n`);
  });
});
