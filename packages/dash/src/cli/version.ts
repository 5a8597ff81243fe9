import { readFileSync } from 'node:fs';

/** The sources are `dev`; what is built has the version of its package. */
function ownVersion(): string {
  if (import.meta.url.endsWith('.ts')) return 'dev';
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version; // our own package.json
}

/** What the program reports. The variable wins, for builds that are no release. */
export const VERSION = process.env['DASHDOC_VERSION'] ?? ownVersion();
