/** Markdown of one line as a terminal shows it: links without their addresses; a text that is all code without its marks. */
export function plainText(markdown: string): string {
  const text = markdown.replace(/\[([^[\]()]*)\]\([^[\]()]*\)/g, '$1');
  return /^`[^`]*`$/.test(text) ? text.slice(1, -1) : text;
}
