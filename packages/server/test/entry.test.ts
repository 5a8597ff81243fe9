import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const REPORT = readFileSync(join(import.meta.dirname, '../../../api/msg.server.txt'), 'utf8');

/** Types of the language and of Node. */
const PLATFORM = new Set(
  'AbortSignal ArrayBuffer Symbol AsyncIterable ConnectionOptions ConstructorParameters Error Exclude Generator Headers IncomingMessage Omit Partial Pick Promise ReadableStream WritableStream Readonly ReadonlyMap Record Required Server ServerResponse URL Uint8Array Iterable AsyncGenerator Map Set Date'.split(
    ' ',
  ),
);
/** What only computes other types. */
const COMPUTED = new Set(['Infer', 'CodedError']);
/** The contracts of `@msg/engine`: a backend of the realtime node is written against that package. */
const ENGINE = new Set(['Broker', 'Control', 'Presence', 'ProcessBounds']);

/** Types that the report of an entry uses and does not have. */
function missingTypes(report: string): string[] {
  const exported = new Set([...report.matchAll(/^## (\w+)/gm)].map(([, name]) => name));
  const code = report.replaceAll(/^## .*$/gm, '').replaceAll(/"[^"]*"|'[^']*'/g, '');
  const parameters = new Set([...code.matchAll(/<([A-Z]\w*) extends /g)].map(([, name]) => name));
  const used = new Set(
    [...code.matchAll(/(?<![\w.])([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)\b/g)].map(([name]) => name),
  );
  return [...used].filter(
    name =>
      !exported.has(name) &&
      !PLATFORM.has(name) &&
      !COMPUTED.has(name) &&
      !ENGINE.has(name) &&
      !parameters.has(name),
  );
}

describe('the entry of the package', () => {
  it('exports the types of its signatures, so that a program names them without another package', () => {
    expect(missingTypes(REPORT)).toEqual([]);
  });

  it('is checked: a type that is not exported is found', () => {
    expect(missingTypes(`${REPORT}\n## extra\n\nfunction extra(): NowhereType;\n`)).toEqual(['NowhereType']);
  });
});
