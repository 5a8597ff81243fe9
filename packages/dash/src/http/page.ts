import { html } from 'hono/html';
import type { DashError } from '../errors.ts';
import type { DocumentListing } from '../reads/list.ts';
import type { ResolvedNode, ResolvedTree } from '../resolve/tree.ts';

type Markup = ReturnType<typeof html>;

/** The outline of a resolved document: every node with its type and title. */
export function outlinePage(tree: ResolvedTree): Markup {
  const title = textMember(tree.manifest, 'title') ?? textMember(tree.manifest, 'id') ?? 'Dashboard';
  return page(title, html`<ul class="outline">${outlineNode(tree.root)}</ul>`);
}

/** Links to all documents of a store. */
export function listPage(documents: readonly DocumentListing[]): Markup {
  const items = documents.map(
    ({ id, title }) =>
      html`<li><a href="/d/${encodeURIComponent(id)}">${title ?? id}</a> <code>${id}</code></li>`,
  );
  return page('Dashboards', items.length === 0 ? html`<p>No documents yet.</p>` : html`<ul>${items}</ul>`);
}

/** A failure with all members of its envelope. */
export function errorPage({ code, message, details }: DashError): Markup {
  return page(
    code,
    html`<p role="alert">${message}</p><h2>Details</h2><pre>${JSON.stringify(details, null, 2)}</pre>`,
  );
}

function outlineNode({ id, type, config, children }: ResolvedNode): Markup {
  const title = textMember(config ?? {}, 'title');
  const inner = children ?? [];
  return html`<li><code>${id}</code> <span class="type">${type.name}</span>${
    title === undefined ? '' : html` <strong>${title}</strong>`
  }${inner.length === 0 ? '' : html`<ul>${inner.map(outlineNode)}</ul>`}</li>`;
}

function page(title: string, body: Markup): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/static/page.css">
</head>
<body><main><h1>${title}</h1>${body}</main></body>
</html>
`;
}

function textMember(object: object, member: string): string | undefined {
  const value: unknown = Object.hasOwn(object, member) ? object[member as keyof object] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
