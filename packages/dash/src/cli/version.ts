import { existsSync, readFileSync } from 'node:fs';

/** The folder of the package, from `src` and from `dist`. */
const PACKAGE = new URL('../../', import.meta.url);

/** A checkout is `dev`, built or not; a packed or installed package, which has no compiler settings, has its version. */
function ownVersion(): string {
  if (existsSync(new URL('tsconfig.json', PACKAGE))) return 'dev';
  const manifest = readFileSync(new URL('package.json', PACKAGE), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version; // our own package.json
}

/** The reported version. The variable has precedence, for builds that are not releases. */
export const VERSION = process.env['DASHDOC_VERSION'] ?? ownVersion();
