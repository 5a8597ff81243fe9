import { claimsBand } from './claims.ts';
import { publicationDrawing, publicationWords } from './publication-drawing.ts';

/** Where the home page has a part that is made: the mark in its source, the part, and the same for its Markdown twin. */
const PARTS = [
  { mark: '<!-- claims -->', made: claimsBand, twin: claimsBand },
  { mark: '<!-- the way of a publication -->', made: publicationDrawing, twin: publicationWords },
];

/** The source of a page with the parts that its marks stand for. */
export const withParts = (source: string, form: 'made' | 'twin'): string =>
  PARTS.reduce((text, part) => text.replace(part.mark, () => part[form]()), source);

/** Gives the home page its parts before the site reads it. */
export const homeParts = {
  name: 'home-parts',
  enforce: 'pre' as const,
  transform: (source: string, id: string) =>
    id.endsWith('/docs/index.md') ? withParts(source, 'made') : undefined,
};
