import { html, type Markup } from './markup.ts';

/** A host that no page is served from: what is still on it after resolving is of this server. */
const OWN = 'http://own.invalid';

/** True for a picture in whose place a frame stands. */
export function isFramed(src: string, framesPictures: true | 'all' | undefined): boolean {
  if (framesPictures === 'all') return !isInDocument(src);
  return framesPictures === true && !isOwnSource(src);
}

const isInDocument = (src: string): boolean => /^\s*data:image\//i.test(src);

/** True for pictures that stand in the document or come from this server, which ask no other host. */
function isOwnSource(src: string): boolean {
  if (isInDocument(src)) return true;
  return URL.parse(src, OWN)?.origin === OWN;
}

/** In the place of a picture of elsewhere: its words, its address, and the way to it for who wants to see it. */
export function framedPicture(src: string, alt: string): Markup {
  const words = alt === '' ? 'A picture of elsewhere' : alt;
  return html`<span class="none remote"><span>${words}</span><span class="mono small wrap">${src}</span><button class="btn sm js-only" type="button" data-act="open" data-text="${src}">Open the picture</button></span>`;
}
