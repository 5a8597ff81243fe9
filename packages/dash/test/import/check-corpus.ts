import { parseArgs } from 'node:util';
import { systemClock } from '@msg/foundation/clock';
import { Charts } from '#src/render/chart/charts.ts';
import {
  CORPUS,
  type CorpusFile,
  drawnStates,
  filesOf,
  importFile,
  itemIds,
  unreportedLeaves,
  untrueEntries,
} from './corpus.ts';

// Imports every dashboard of a folder as the tests do with those that are written here: each resolves and is drawn, and
// its report is about every value. `npm run dash:corpus -- --corpus <folder>`.
const { values } = parseArgs({ options: { corpus: { type: 'string' } } });
const files = values.corpus === undefined ? CORPUS : filesOf(values.corpus);
const charts = new Charts(systemClock);

/** What is wrong with the import of a file; the counts of its report when nothing is. */
async function errorsOf(corpusFile: CorpusFile): Promise<{ line: string; isWrong: boolean }> {
  try {
    const { file, imported } = importFile(corpusFile);
    const { document, report } = imported;
    const states = await drawnStates(document, charts);
    const undrawn = itemIds(document).filter(id => !['ready', 'empty'].includes(states.get(id) ?? ''));
    const wrong = [
      ...unreportedLeaves(file, report).map(place => `unreported ${place}`),
      ...untrueEntries(file, imported),
      ...undrawn.map(id => `not drawn ${id}: ${states.get(id) ?? 'absent'}`),
    ];
    const { kept, changed, lost } = report;
    const counts = `${imported.model}: ${kept} kept, ${changed} changed, ${lost} lost`;
    return { line: [counts, ...wrong.slice(0, 20)].join('\n    '), isWrong: wrong.length > 0 };
  } catch (error) {
    return {
      line: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
      isWrong: true,
    };
  }
}

let failures = 0;
for (const file of files) {
  const { line, isWrong } = await errorsOf(file);
  if (isWrong) failures += 1;
  console.log(`${isWrong ? 'FAIL' : 'ok'} ${file.name} ${line}`);
}
console.log(`${files.length - failures} of ${files.length} dashboards are imported whole`);
await charts.close();
process.exitCode = failures === 0 ? 0 : 1;
