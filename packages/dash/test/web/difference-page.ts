import { html } from 'hono/html';

/** A picture that is not as it was. */
export interface ChangedPicture {
  readonly name: string;
  /** Part of the pixels that differ, from 0 to 1. */
  readonly part: number;
  /** Addresses of the pictures; no earlier one for a new document. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly difference: string | undefined;
  /** Lines of boxes that changed. */
  readonly boxes: readonly string[];
}

/** A page with every changed picture: before, after, and the pixels that differ. */
export function differencePage(changed: readonly ChangedPicture[]): string {
  const rows = changed.map(({ name, part, before, after, difference, boxes }) => {
    const picture = (title: string, address: string | undefined) =>
      address === undefined
        ? ''
        : html`<figure><figcaption>${title}</figcaption><a href="${address}"><img src="${address}" alt="${name}, ${title}"></a></figure>`;
    const lines = boxes.length === 0 ? '' : html`<pre>${boxes.join('\n')}</pre>`;
    return html`<section><h2>${name}: ${(part * 100).toFixed(2)} % of the pixels</h2><div>${picture('before', before)}${picture('after', after)}${picture('difference', difference)}</div>${lines}</section>`;
  });
  const style =
    'body{font:14px system-ui;margin:2rem}div{display:flex;gap:1rem;align-items:start}figure{margin:0;flex:1;min-width:0}img{max-width:100%;border:1px solid #ccc}pre{overflow:auto}';
  return String(
    html`<!doctype html><html lang="en"><meta charset="utf-8"><title>Changed pictures</title><style>${style}</style><h1>${changed.length} changed pictures</h1>${rows}</html>`,
  );
}
