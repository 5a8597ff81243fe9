import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ManifestPayload } from '@msg/core';
import { send, sendEmpty } from './answer.ts';
import { preferredEncoding } from './content-encoding.ts';
import type { RequestContext } from './request-context.ts';
import type { Route } from './router.ts';

/** The build's output folder, the same from `src` and from `dist`. */
const FOLDER = fileURLToPath(new URL('../../dist/client-script/', import.meta.url));

const SCRIPT = 'msg.js';
const MODULE = 'msg.mjs';
/** Content codings of the built files, in the order of preference, with their suffixes. */
const SUFFIXES: ReadonlyMap<string, string> = new Map([
  ['br', '.br'],
  ['gzip', '.gz'],
]);

const IMMUTABLE = 'public, max-age=31536000, immutable';
const REVALIDATED = 'no-cache';
/** The version of a checkout, which stays while the files change. */
const UNVERSIONED = 'dev';

/** One of the two scripts, cached after its first request. */
class ScriptFile {
  readonly #name: string;
  readonly #variants = new Map<string, Buffer>();
  #digest: Buffer | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** Its bytes in a coding; empty for none. */
  bytes(encoding: string): Buffer {
    const bytes =
      this.#variants.get(encoding) ?? readFileSync(FOLDER + this.#name + (SUFFIXES.get(encoding) ?? ''));
    this.#variants.set(encoding, bytes);
    return bytes;
  }

  /** SHA-384 of the script. */
  get digest(): Buffer {
    this.#digest ??= createHash('sha384').update(this.bytes('')).digest();
    return this.#digest;
  }
}

/**
 * `GET /msg.js` and `/msg.mjs`: the browser wrapper with the stock client, for pages without a bundler. Source:
 * application developers 7.
 */
export class ClientScript {
  readonly #version: string;
  readonly #script = new ScriptFile(SCRIPT);
  readonly routes: readonly Route[];

  private constructor(version: string) {
    this.#version = version;
    this.routes = [this.#route(SCRIPT, this.#script), this.#route(MODULE, new ScriptFile(MODULE))];
  }

  /** The scripts of a built package; `undefined` in a checkout that was not built. */
  static find(version: string): ClientScript | undefined {
    return existsSync(FOLDER + SCRIPT) ? new ClientScript(version) : undefined;
  }

  /** The facts in the manifest. */
  get facts(): NonNullable<ManifestPayload['client_script']> {
    return { path: `/${SCRIPT}`, integrity: `sha384-${this.#script.digest.toString('base64')}` };
  }

  #route(name: string, file: ScriptFile): Route {
    return { path: `/${name}`, browser: true, methods: { GET: context => this.#send(context, file) } };
  }

  #send(context: RequestContext, file: ScriptFile): void {
    const { headers, request } = context;
    const encoding = preferredEncoding(request.headers['accept-encoding'], [...SUFFIXES.keys()]);
    const etag = `"${file.digest.toString('base64url', 0, 18)}${encoding === '' ? '' : `-${encoding}`}"`;
    const version = new URLSearchParams(request.url?.split('?')[1]).get('v');
    const isVersioned = version === this.#version && version !== UNVERSIONED;
    headers.push(
      'etag',
      etag,
      // A page may request its version: during a rollout a node of another version may answer.
      'cache-control',
      isVersioned ? IMMUTABLE : REVALIDATED,
      'vary',
      'Accept-Encoding',
    );
    const cachedTags =
      request.headers['if-none-match']?.split(',').map(tag => tag.trim().replace(/^W\//, '')) ?? [];
    if (cachedTags.includes(etag) || cachedTags.includes('*')) {
      sendEmpty(context, 304);
      return;
    }
    if (encoding !== '') headers.push('content-encoding', encoding);
    headers.push('x-content-type-options', 'nosniff', 'cross-origin-resource-policy', 'cross-origin');
    send(context, 200, 'text/javascript; charset=utf-8', file.bytes(encoding));
  }
}
