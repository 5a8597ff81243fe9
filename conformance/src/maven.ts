import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun, versionOf } from './process.ts';

const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1';

/** Coordinates of a library: `group:artifact:version`. */
export type Library = `${string}:${string}:${string}`;

/** What this machine lacks to compile and run Java; `undefined`: nothing. */
export function missingJava(): string | undefined {
  if (versionOf('javac', '-version') === undefined) {
    return 'a Java compiler is not installed: apt-get install -y default-jdk-headless';
  }
  return versionOf('mvn', '-v') === undefined
    ? 'Maven is not installed: apt-get install -y maven'
    : undefined;
}

/** The class path of libraries and all that they need, fetched by Maven. @param folder is written to */
export async function classPath(libraries: readonly Library[], folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const pom = join(folder, 'pom.xml');
  const file = join(folder, 'class-path');
  writeFileSync(pom, project(libraries));
  await maven(pom, [`${DEPENDENCY_PLUGIN}:build-classpath`, `-Dmdep.outputFile=${file}`]);
  return readFileSync(file, 'utf8').trim();
}

/** Copies one artifact, given with type and classifier, into a folder. @param folder is written to */
export async function copyArtifact(artifact: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const pom = join(folder, 'pom.xml');
  writeFileSync(pom, project([]));
  await maven(pom, [`${DEPENDENCY_PLUGIN}:copy`, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]);
}

async function maven(pom: string, args: readonly string[]): Promise<void> {
  await mustRun('mvn', ['--quiet', '--batch-mode', '--file', pom, ...args]);
}

/** Compiles sources into a folder. */
export async function compile(sources: readonly string[], path: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await mustRun('javac', [
    '-nowarn',
    '-Xlint:none',
    '-encoding',
    'UTF-8',
    '-cp',
    path,
    '-d',
    folder,
    ...sources,
  ]);
}

function project(libraries: readonly Library[]): string {
  const dependencies = libraries.map(library => {
    const [group, artifact, version] = library.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
  });
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion>
<groupId>conformance</groupId><artifactId>program</artifactId><version>0</version>
<dependencies>${dependencies.join('')}</dependencies>
</project>
`;
}
