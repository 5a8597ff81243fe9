import { readFileSync } from 'node:fs';

const read = (name: string): string =>
  readFileSync(new URL(`./certificates/${name}.pem`, import.meta.url), 'utf8');

/**
 * A key and a self-signed certificate for `localhost` and 127.0.0.1, valid for a hundred years, for test servers only:
 * the key is public.
 */
export function localhostCertificate(): { readonly key: string; readonly cert: string } {
  return { key: read('localhost.key'), cert: read('localhost.cert') };
}
