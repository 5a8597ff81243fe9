import { html, type Markup } from '../render/markup.ts';
import { momentText } from '../render/words.ts';

/** A moment as people say it; the exact one in UTC is its title. The script of the page keeps it true. */
export function moment(timestamp: string, now: number): Markup {
  const at = Date.parse(timestamp);
  if (Number.isNaN(at)) return html`<span>${timestamp}</span>`;
  const iso = new Date(at).toISOString();
  const exact = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
  return html`<time datetime="${iso}" title="${exact}">${momentText(at, now)}</time>`;
}

/** The name in `name <email>`. */
export function nameOf(author: string): string {
  const open = author.endsWith('>') ? author.lastIndexOf('<') : -1;
  const name = author.slice(0, Math.max(0, open)).trimEnd();
  return name === '' ? author : name;
}
