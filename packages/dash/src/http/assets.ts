import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { RequestError } from './request-error.ts';

const FOLDER = new URL('../../static/', import.meta.url);
const TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

/** An own asset of the page, never anything outside its folder. @throws RequestError 404. */
export async function readAsset(name: string): Promise<{ bytes: Uint8Array<ArrayBuffer>; type: string }> {
  const type = TYPES.get(extname(name));
  if (type === undefined || !/^[\w-]+(?:\.[\w-]+)*$/.test(name)) throw noAsset();
  try {
    return { bytes: new Uint8Array(await readFile(new URL(name, FOLDER))), type };
  } catch {
    throw noAsset();
  }
}

function noAsset(): RequestError {
  return new RequestError(404, 'The asset does not exist.');
}
