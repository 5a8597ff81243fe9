import { sha256 } from './sha256.ts';

/** Bytes of a changeset that a link may unfold to; the server takes no more. */
const MOST_BYTES = 1024 * 1024;
const CHECK_LENGTH = 6;

/** What a link is wrong about. */
export type LinkError = 'form' | 'version' | 'damaged';

/** What the fragment of a link holds: the body that hands the proposal over, or what is wrong with it. */
export type ReadLink = { readonly body: object } | { readonly error: LinkError };

/** Reads `v1.<check>.<payload>`: raw deflate as base64url, and the start of its SHA-256 (page and review 3.1). */
export async function readFragment(fragment: string): Promise<ReadLink> {
  const [version = '', check = '', payload = '', ...rest] = fragment.split('.');
  if (/^v[2-9]\d*$/.test(version)) return { error: 'version' };
  if (version !== 'v1' || rest.length > 0 || !/^[\w-]+$/.test(payload)) return { error: 'form' };
  if (check !== checkOf(payload)) return { error: 'damaged' };
  try {
    const body: unknown = JSON.parse(await inflated(bytesOf(payload)));
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { body };
  } catch {
    // The check fits bytes that hold no proposal: for a reader that is damage, too.
  }
  return { error: 'damaged' };
}

/** The start of the SHA-256 of a payload, as base64url. */
function checkOf(payload: string): string {
  const hash = sha256(new TextEncoder().encode(payload));
  const text = btoa(String.fromCharCode(...hash))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
  return text.slice(0, CHECK_LENGTH);
}

function bytesOf(payload: string): Uint8Array<ArrayBuffer> {
  const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, character => character.charCodeAt(0));
}

/** @throws RangeError for more bytes than a proposal may have, TypeError for bytes that are not deflated. */
async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const reader = stream.getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [text, length] = ['', 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.byteLength;
    if (length > MOST_BYTES) {
      await reader.cancel();
      throw new RangeError('more than a proposal may have');
    }
    text += decoder.decode(value, { stream: true });
  }
}
