import { createHash } from 'node:crypto';
import { attributes, html, trusted } from '../../render/markup.ts';
import { renderPicture, titleOf } from '../../render/picture.ts';
import type { Dashboard } from '../dashboard.ts';
import { leavesOf } from '../dashboard.ts';
import { csvOf } from '../item-data.ts';
import { aboutDocument, type DocumentHead } from '../page-head.ts';

/** Rules of a file: its controls show what is set, and no border is around them. */
const OWN_RULES = 'fieldset.still{border:0;margin:0;padding:0;min-width:0}';

/** What a file is made of besides its dashboard. */
export interface ExportParts {
  /** The style sheet of the page. */
  readonly css: string;
  readonly head: DocumentHead;
  /** `light` or `dark` forces a scheme; the system of the reader chooses without. */
  readonly scheme: 'light' | 'dark' | undefined;
}

/**
 * A dashboard as one file that loads nothing: styles inside, no script, rows as they are now, pictures of elsewhere as
 * frames. Its policy lets a browser load nothing either (page and review 6).
 */
export async function exportPage(dashboard: Dashboard, { css, head, scheme }: ExportParts): Promise<string> {
  const rows = await csvAddresses(dashboard);
  const { tree } = dashboard.source;
  const source = {
    ...dashboard.source,
    framesPictures: 'all' as const,
    isStill: true as const,
    csvAddress: (id: string) => rows.get(id) ?? '#',
  };
  const picture = renderPicture(source);
  const rules = `${css}${picture.css}${OWN_RULES}`.replaceAll('</', '<\\/');
  const digest = createHash('sha256').update(rules).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; form-action 'none'; base-uri 'none'`;
  const page = html`<!doctype html>
<html lang="en"${attributes({ 'data-theme': scheme })}>
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${titleOf(tree)} · dash</title>
<link rel="icon" href="data:,">
<style>${trusted(rules)}</style>
</head>
<body>
<main class="main" id="content"><div class="pagehead">${aboutDocument(tree, head)}</div><p class="small soft">As of ${timeText(head.now)}; the controls of a file do nothing.</p>
<fieldset class="still" disabled>${picture.body}</fieldset></main>
</body>
</html>
`;
  return String(page);
}

/** `2026-01-02 03:04 UTC`. */
const timeText = (now: number): string => `${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The rows of each item as an address that needs no server. */
async function csvAddresses(dashboard: Dashboard): Promise<Map<string, string>> {
  const addresses = new Map<string, string>();
  for (const { id } of leavesOf(dashboard.source.tree.root)) {
    if (dashboard.source.views.get(id)?.data?.state === 'error') continue;
    const text = [...(await csvOf(dashboard, id))].join('');
    addresses.set(id, `data:text/csv;charset=utf-8;base64,${Buffer.from(text).toString('base64')}`);
  }
  return addresses;
}
