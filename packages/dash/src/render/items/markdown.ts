import { micromark } from 'micromark';
import { gfmStrikethrough, gfmStrikethroughHtml } from 'micromark-extension-gfm-strikethrough';
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table';
import { gfmTaskListItem, gfmTaskListItemHtml } from 'micromark-extension-gfm-task-list-item';
import { type RenderContext, textMember } from '../context.ts';
import { frame } from '../frame.ts';
import { framedPicture, isFramed } from '../framed-picture.ts';
import { html, type Markup, trusted } from '../markup.ts';
import type { LeafRenderer } from './leaf.ts';

const OPTIONS = {
  extensions: [gfmStrikethrough(), gfmTable(), gfmTaskListItem()],
  htmlExtensions: [gfmStrikethroughHtml(), gfmTableHtml(), gfmTaskListItemHtml()],
};

/** A picture as the library writes it: both texts escaped, so neither holds a quotation mark. */
const IMAGE = /<img src="([^"]*)" alt="([^"]*)"[^<>]*>/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** CommonMark with tables, strikethrough and task lists; HTML in it is text. */
export const markdownItem: LeafRenderer = (node, context) =>
  frame(node, context, {
    body: html`<div class="prose">${markdownHtml(textMember(node.config, 'source') ?? '', context)}</div>`,
  });

/**
 * Markdown as HTML. The library writes no tag for HTML of the source and no address with a dangerous scheme, so a tag
 * in its output is always one of its own and can be completed as text.
 * @param level of the heading that the highest heading of the source becomes.
 */
function markdownHtml(source: string, { level, framesPictures }: RenderContext): Markup {
  const text = micromark(source, OPTIONS);
  const highest = Math.min(6, ...[...text.matchAll(/<h([1-6])>/g)].map(([, depth]) => Number(depth)));
  return trusted(
    text
      .replace(
        /<(\/?)h([1-6])>/g,
        (_, end, depth) => `<${end}h${Math.min(6, Number(depth) - highest + level)}>`,
      )
      .replace(/<a href="(?:ircs?|xmpp):[^"]*"/gi, '<a href=""')
      .replaceAll('<a href="', '<a rel="noopener noreferrer" href="')
      .replace(IMAGE, (image, src: string, alt: string) => framedImage(image, src, alt, framesPictures))
      .replaceAll('<img src="', '<img loading="lazy" referrerpolicy="no-referrer" src="')
      .replaceAll('<input type="checkbox"', '<input type="checkbox" aria-label="done"')
      .replaceAll(
        '<table>',
        '<div class="tablewrap" tabindex="0" role="group" aria-label="Table"><table class="table">',
      )
      .replaceAll('</table>', '</table></div>')
      .replaceAll('<pre>', '<pre tabindex="0">'),
  );
}

function framedImage(
  image: string,
  src: string,
  alt: string,
  framesPictures: RenderContext['framesPictures'],
): string {
  const plain = (text: string): string =>
    text.replace(/&(amp|lt|gt|quot);/g, (_, name) => ENTITIES[name] ?? '');
  return isFramed(plain(src), framesPictures) ? String(framedPicture(plain(src), plain(alt))) : image;
}
