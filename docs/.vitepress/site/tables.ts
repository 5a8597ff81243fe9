/** A token of markdown-it: the members that tables have. */
interface Token {
  readonly type: string;
  tag: string;
  readonly content: string;
}

interface MarkdownParser {
  readonly core: { readonly ruler: { push(name: string, rule: (state: { tokens: Token[] }) => void): void } };
  readonly renderer: { rules: Record<string, ((...args: never[]) => string) | undefined> };
}

/** Tables scroll in a region of their own, and a header cell without a word is no header. */
export function tablesInRegions({ core, renderer }: MarkdownParser): void {
  core.ruler.push('empty-headers', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const [content, close] = [tokens[index + 1], tokens[index + 2]];
      if (token.type !== 'th_open' || content?.content !== '' || close === undefined) continue;
      token.tag = 'td';
      close.tag = 'td';
    }
  });
  renderer.rules['table_open'] = () =>
    '<div class="table-scroll" role="group" aria-label="Table" tabindex="0"><table>\n';
  renderer.rules['table_close'] = () => '</table></div>\n';
}
