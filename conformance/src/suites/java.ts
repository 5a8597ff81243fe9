import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { classPath, compile, copyArtifact, type Library, missingJava } from '../maven.ts';
import { mustRun, run } from '../process.ts';
import { jsonLines, type Suite, type TestResult } from './suite.ts';

export const JAVA_CLIENT = { library: 'io.github.centrifugal:centrifuge-java', version: '0.4.1' } as const;

const EQUIVALENTS = new URL('../../clients/java', import.meta.url).pathname;
const JUNIT: Library = 'junit:junit:4.13.2';
const PROTOC = /com\.google\.protobuf:protoc:[\d.]+/;
const LIBRARY = /'([\w.-]+:[\w.-]+:[\d.]+)'/g;
const TIMEOUT_MS = 240_000;

interface Built {
  readonly path: string;
  readonly classes: readonly string[];
}

/** JUnit tests with a centrifuge-java, one result each. */
abstract class JUnitSuite implements Suite {
  readonly name = 'java';
  abstract readonly client: string;
  readonly profile = 'java';
  abstract readonly scope: string;
  /** Removed in the end. */
  protected readonly folder = mkdtempSync(join(tmpdir(), 'msg-conformance-java-'));
  #built: Built | undefined;

  protected abstract build(): Promise<Built>;

  missing(): readonly string[] {
    const missing = missingJava();
    return missing === undefined ? [] : [missing];
  }

  async prepare(): Promise<void> {
    this.#built = await this.build();
  }

  async run(skip: readonly string[]): Promise<readonly TestResult[]> {
    const { path, classes } = this.#built!; // prepared before
    const report = join(this.folder, 'report');
    rmSync(report, { force: true });
    const args = ['-cp', path, 'Report', report, classes.join(','), ...skip];
    const { status, stdout, stderr } = await run('java', args, { timeoutMs: TIMEOUT_MS });
    const results = existsSync(report) ? jsonLines(readFileSync(report, 'utf8')) : [];
    if (status === 0 && results.length > 0) return results;
    const detail = `${status === null ? 'did not end' : `ended with ${status}`}\n${stdout}${stderr}`.slice(
      -4000,
    );
    return [...results, { name: '(the run itself)', outcome: 'failed', detail }];
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Our equivalents of the client's integration tests, under their names, with the client as Maven Central serves it. */
export class JavaEquivalents extends JUnitSuite {
  readonly client = `centrifuge-java ${JAVA_CLIENT.version}`;
  readonly scope = 'java-equivalents';

  protected async build(): Promise<Built> {
    const library: Library = `${JAVA_CLIENT.library}:${JAVA_CLIENT.version}`;
    const path = await classPath([library, JUNIT], this.folder);
    const sources = javaFiles(EQUIVALENTS);
    const classes = join(this.folder, 'classes');
    await compile(sources, path, classes);
    return { path: [classes, path].join(delimiter), classes: testClasses(sources) };
  }

  /** What is out of scope cannot be written with this release; what can must run. */
  override async run(skip: readonly string[]): Promise<readonly TestResult[]> {
    const results = await super.run([]);
    const there = results.filter(({ name }) => skip.includes(name));
    return [
      ...results,
      ...there.map(({ name }) => ({ name, outcome: 'failed' as const, detail: 'out of scope, but there' })),
    ];
  }
}

/** The client's own tests in a checkout, unit and integration, built with the versions that its Gradle file names. */
export class JavaCheckout extends JUnitSuite {
  readonly client = 'centrifuge-java checkout';
  readonly scope = 'java';
  readonly #project: string;

  constructor(checkout: string) {
    super();
    this.#project = join(checkout, 'centrifuge');
  }

  protected async build(): Promise<Built> {
    const gradle = readFileSync(join(this.#project, 'build.gradle'), 'utf8');
    const libraries = [...gradle.matchAll(LIBRARY)].map(([, library]) => library as Library); // as the pattern says
    const path = await classPath(libraries, this.folder);
    const tests = ['src/test/java', 'src/integrationTest/java'].flatMap(folder =>
      javaFiles(join(this.#project, folder)),
    );
    const sources = [
      ...javaFiles(join(this.#project, 'src/main/java')),
      ...(await this.#generate(PROTOC.exec(gradle)?.[0])),
      ...tests,
      join(EQUIVALENTS, 'Report.java'),
    ];
    const classes = join(this.folder, 'classes');
    await compile(sources, path, classes);
    const parts = [classes, join(this.#project, 'src/test/resources'), path];
    return {
      path: parts.join(delimiter),
      classes: testClasses(tests).map(name => `io.github.centrifugal.centrifuge.${name}`),
    };
  }

  /** Generates the messages with the compiler that Gradle would take. */
  async #generate(compiler: string | undefined): Promise<readonly string[]> {
    if (compiler === undefined) throw new Error(`${this.#project}/build.gradle names no protoc`);
    const tools = join(this.folder, 'tools');
    await copyArtifact(`${compiler}:exe:${platform()}`, tools);
    const program = join(tools, readdirSync(tools).find(name => name.startsWith('protoc-')) ?? '');
    chmodSync(program, 0o755);
    const generated = join(this.folder, 'generated');
    mkdirSync(generated);
    const protos = join(this.#project, 'src/main/proto');
    await mustRun(program, [`--java_out=lite:${generated}`, `-I${protos}`, join(protos, 'client.proto')]);
    return javaFiles(generated);
  }
}

/** As Maven classifies it. */
function platform(): string {
  const system = process.platform === 'darwin' ? 'osx' : 'linux';
  return `${system}-${process.arch === 'arm64' ? 'aarch_64' : 'x86_64'}`;
}

function javaFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.java'))
    .map(name => join(folder, name));
}

function testClasses(sources: readonly string[]): string[] {
  return sources.map(source => basename(source, '.java')).filter(name => name.endsWith('Test'));
}
