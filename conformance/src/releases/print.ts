import type { MatrixRow } from './matrix.ts';
import { STEPS } from './steps.ts';

/** Prints what a release passed, or why it was not run. */
export function printRow({ language, client, release = '', results, notRun }: MatrixRow): void {
  const counts = [...results].map(
    ([encoding, { passed }]) => `${encoding} ${passed.length} of ${STEPS.length}`,
  );
  const title = `${client} ${release}`.trimEnd();
  console.log(
    `${language.padEnd(12)}${title.padEnd(28)}${notRun === '' ? counts.join(', ') : `not run: ${notRun}`}`,
  );
  for (const [encoding, { failure }] of results) {
    if (failure !== '') console.log(`  failed: ${encoding}: ${failure.split('\n').join('\n    ')}`);
  }
}
