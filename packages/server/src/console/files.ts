import { readFileSync } from 'node:fs';
import { isRecord } from '@msg/foundation/json';
import { send, sendText } from '../http/answer.ts';
import { preferredEncoding } from '../http/content-encoding.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { WrittenPage } from './login/page.ts';

/** One built file, as the list of `@msg/console` has it. */
interface ListedFile {
  readonly path: string;
  readonly type: string;
}

const LIST = 'list.json';
const SHELL = 'index.html';
const IMMUTABLE = 'public, max-age=31536000, immutable';
const SUFFIXES: ReadonlyMap<string, string> = new Map([
  ['br', '.br'],
  ['gzip', '.gz'],
]);
/** Where the address of the shell's base stands in the document. */
const BASE = '{base}';

function listed(value: unknown): readonly ListedFile[] {
  const files = isRecord(value) ? value['files'] : undefined;
  return Array.isArray(files) ? (files as ListedFile[]) : []; // of our build
}

function versionOf(value: unknown): unknown {
  return isRecord(value) ? value['version'] : undefined;
}

/** The error of files that cannot be served, with what mends it. */
function unavailable(state: string, cause?: unknown): Error {
  const remedy =
    'in a checkout run npm run build:pages, else install @msg/console in the version of @msg/server';
  return new Error(`the files of the console are ${state}: ${remedy}`, { cause });
}

/** The built files of `@msg/console`, read when they are first asked for. */
export class ConsoleFiles {
  readonly #folder: URL;
  readonly #types: ReadonlyMap<string, string>;
  readonly #bytes = new Map<string, Buffer>();

  private constructor(folder: URL, files: readonly ListedFile[]) {
    this.#folder = folder;
    this.#types = new Map(files.map(({ path, type }) => [path, type]));
  }

  /** The files of the package. @throws Error saying how to get them */
  static async load(): Promise<ConsoleFiles> {
    let list: unknown;
    let folder: URL;
    try {
      ({ FOLDER: folder } = await import('@msg/console'));
      list = JSON.parse(readFileSync(new URL(LIST, folder), 'utf8'));
    } catch (cause) {
      throw unavailable('missing', cause);
    }
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    if (versionOf(list) !== versionOf(manifest)) throw unavailable('of another version');
    return new ConsoleFiles(folder, listed(list));
  }

  /** Answers with the file of a name below `/console/assets/`. */
  sendAsset(context: RequestContext, name: string): void {
    const path = `assets/${name}`;
    const type = this.#types.get(path);
    if (type === undefined) {
      sendText(context, 404, 'not found');
      return;
    }
    const coding = preferredEncoding(context.request.headers['accept-encoding'], [...SUFFIXES.keys()]);
    const headers = { 'cache-control': IMMUTABLE, vary: 'Accept-Encoding' };
    const coded = coding === '' ? headers : { ...headers, 'content-encoding': coding };
    send(context, 200, type, this.#read(path + (SUFFIXES.get(coding) ?? '')), coded);
  }

  /** Answers with the one document of the console. `base` is its path, `/console/`. */
  sendShell(context: RequestContext, base: string): void {
    const document = this.#read(SHELL).toString('utf8').replace(BASE, base);
    send(context, 200, 'text/html; charset=utf-8', document, { 'cache-control': 'no-store' });
  }

  /** Answers with a page that the server writes, in the style of the console. */
  sendWritten(context: RequestContext, base: string, status: number, { title, body }: WrittenPage): void {
    const shell = this.#read(SHELL).toString('utf8').replace(BASE, base);
    const [before = '', after = ''] = shell.slice(0, shell.indexOf('<script')).split('<title>');
    const head = `${before}<title>${title}${after.slice(after.indexOf('</title>'))}`;
    const document = `${head}</head>\n<body>${body}</body>\n</html>\n`;
    send(context, status, 'text/html; charset=utf-8', document);
  }

  /** @throws Error saying how to get a file that is gone */
  #read(path: string): Buffer {
    let bytes = this.#bytes.get(path);
    if (bytes !== undefined) return bytes;
    try {
      bytes = readFileSync(new URL(path, this.#folder));
    } catch (cause) {
      throw unavailable('missing', cause);
    }
    this.#bytes.set(path, bytes);
    return bytes;
  }
}
