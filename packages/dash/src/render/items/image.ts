import { textMember } from '../context.ts';
import { frame } from '../frame.ts';
import { framedPicture, isFramed } from '../framed-picture.ts';
import { html } from '../markup.ts';
import type { LeafRenderer } from './leaf.ts';

/** A picture with its caption; only http(s), relative and `data:image/` sources are asked for (dashboard details 15.3). */
export const imageItem: LeafRenderer = (node, context) => {
  const src = textMember(node.config, 'src') ?? '';
  const alt = textMember(node.config, 'alt') ?? '';
  const caption = textMember(node.config, 'caption');
  const picture = !isPictureSource(src)
    ? html`<span class="none">${alt === '' ? 'This source is not shown.' : alt}</span>`
    : isFramed(src, context.framesPictures)
      ? framedPicture(src, alt)
      : html`<img src="${src}" alt="${alt}" loading="lazy" decoding="async" referrerpolicy="no-referrer">`;
  const below = caption === undefined ? '' : html`<figcaption class="small soft">${caption}</figcaption>`;
  return frame(node, context, { body: html`<figure>${picture}${below}</figure>` });
};

/** True for http(s) and relative addresses and for pictures as data. */
function isPictureSource(src: string): boolean {
  const scheme = /^[\s\p{Cc}]*([a-z][a-z0-9+.-]*):/iu.exec(src)?.[1]?.toLowerCase();
  if (scheme === undefined) return true;
  return scheme === 'http' || scheme === 'https' || (scheme === 'data' && /^\s*data:image\//i.test(src));
}
