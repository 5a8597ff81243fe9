import { readFileSync } from 'node:fs';
import { PREVIEW_APP } from './tool.ts';

/** The page of the preview, with its script and style: the same path from `src` and from `dist`. */
const FILE = new URL('../../static/preview.html', import.meta.url);
const MIME_TYPE = 'text/html;profile=mcp-app';

/** The page as the list of resources names it (page and review 8). */
export const PREVIEW_PAGE = {
  uri: PREVIEW_APP,
  name: 'preview',
  title: 'Preview of a changeset',
  description: 'Before and after of the items that a changeset touches, for a person, inside of the host',
  mimeType: MIME_TYPE,
};

/** The page itself. It asks for no address and no permission. */
export function previewPage() {
  const text = readFileSync(FILE, 'utf8');
  return { uri: PREVIEW_APP, mimeType: MIME_TYPE, text, _meta: { ui: { prefersBorder: true } } };
}
