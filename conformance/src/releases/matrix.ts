import { join } from 'node:path';
import { HarnessProcess } from '../harness-process.ts';
import type { Language } from './language.ts';
import { GO } from './languages/go.ts';
import { JAVA } from './languages/java.ts';
import { JAVASCRIPT } from './languages/javascript.ts';
import { PYTHON } from './languages/python.ts';
import { RUST } from './languages/rust.ts';
import { runSession, type SessionResult } from './session.ts';
import type { Encoding } from './steps.ts';

const LANGUAGES: readonly Language[] = [JAVASCRIPT, GO, PYTHON, JAVA, RUST];
/** Outlives a run: downloads and builds are reused. */
const FOLDER = new URL('../../../.tmp/conformance', import.meta.url).pathname;

/** A row of the matrix: one release, or a language that was not run. */
export interface MatrixRow {
  readonly language: string;
  readonly client: string;
  /** `undefined`: all of them. */
  readonly release: string | undefined;
  readonly results: ReadonlyMap<Encoding, SessionResult>;
  /** Why it was not run; empty when it was. */
  readonly notRun: string;
}

export interface MatrixOptions {
  /** The oldest and the newest release of each client, and none that is slow to build. */
  readonly short: boolean;
}

/** Runs releases of every client; the last row names what the server complained about, if it did. */
export async function* runMatrix({ short }: MatrixOptions): AsyncGenerator<MatrixRow> {
  const harness = await HarnessProcess.startOnFreePort('releases');
  try {
    for (const language of LANGUAGES) yield* runLanguage(language, short, harness);
  } finally {
    await harness.stop();
  }
}

async function* runLanguage(
  language: Language,
  short: boolean,
  harness: HarnessProcess,
): AsyncGenerator<MatrixRow> {
  const { name, client, encodings } = language;
  const row = { language: name, client };
  const notRun = language.missing() ?? (short ? language.tooSlow : undefined);
  if (notRun !== undefined) {
    yield { ...row, release: undefined, results: new Map(), notRun };
    return;
  }
  const releases = short ? ends(language.releases) : language.releases;
  const programOf = await language.prepare(releases, join(FOLDER, name.toLowerCase()));
  for (const release of releases) {
    const program = await programOf(release);
    const results = new Map<Encoding, SessionResult>();
    for (const encoding of encodings) {
      const before = harness.errors.length;
      const result = await runSession(program, encoding, harness.port);
      const complaints = harness.errors.slice(before);
      results.set(encoding, complaints === '' ? result : { ...result, failure: `the server: ${complaints}` });
    }
    yield { ...row, release, results, notRun: '' };
  }
}

function ends(releases: readonly string[]): readonly string[] {
  return [...new Set([releases.at(0), releases.at(-1)])].filter(release => release !== undefined);
}
