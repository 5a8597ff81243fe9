import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

interface Token {
  readonly content: string;
  attrGet(name: string): string | null;
}

type RenderRule = (
  tokens: Token[],
  index: number,
  options: object,
  env: { path?: string },
  self: object,
) => string;

interface MarkdownParser {
  readonly utils: { escapeHtml(text: string): string };
  readonly renderer: { rules: { image?: RenderRule } };
}

/** Drawings of `docs/diagrams` stand in the page itself, so that they have the colours of its theme. */
export function inlineDiagrams({ utils, renderer }: MarkdownParser): void {
  const otherImage = renderer.rules.image;
  renderer.rules.image = (tokens, index, options, env, self) => {
    const token = tokens[index];
    const source = token?.attrGet('src') ?? '';
    if (token === undefined || !/(^|\/)diagrams\/[\w-]+\.svg$/.test(source))
      return otherImage?.(tokens, index, options, env, self) ?? '';
    const file = resolve(dirname(env.path ?? ''), source);
    const drawing = readFileSync(file, 'utf8').replace(/^<!--.*-->\n/, '');
    const label = utils.escapeHtml(token.content);
    const labelled = drawing.replace('<svg ', `<svg role="img" aria-label="${label}" `);
    return `<span class="diagram" role="group" aria-label="Diagram" tabindex="0">${labelled}</span>`;
  };
}
