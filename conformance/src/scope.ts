import { readFileSync } from 'node:fs';

/** A test that the engine does not claim to pass, and why. */
export interface OutOfScope {
  readonly test: string;
  readonly reason: string;
}

/** Reads a scope file: one test per line, then ` | ` and the reason; `#` starts a comment. */
export function readScope(path: URL | string): OutOfScope[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const [test = '', reason = ''] = line.split(' | ', 2).map(part => part.trim());
      if (test === '' || reason === '') throw new Error(`${path}: no reason given: ${line}`);
      return { test, reason };
    });
}
