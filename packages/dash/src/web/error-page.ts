import type { DashError } from '../errors.ts';
import { html, type Markup } from '../render/markup.ts';
import type { Assets } from './assets.ts';
import type { PagePolicy } from './policy.ts';
import { shell } from './shell.ts';

/** A failure as a page: the code, the message, the place where it is known, and all details. */
export function errorPage({ code, message, details }: DashError, assets: Assets, policy: PagePolicy): Markup {
  const { path } = details;
  const place = typeof path === 'string' ? html`<p class="small">In <code>${path}</code></p>` : '';
  const content = html`<div class="stack s5 narrow"><div class="pagehead"><h1>This page cannot be shown</h1></div>
<div class="fault" role="alert"><span class="code">${code}</span><p>${message}</p>${place}</div>
<details class="small" open><summary>Details</summary><pre class="payload" tabindex="0">${JSON.stringify(details, null, 2)}</pre></details></div>`;
  return shell({ title: code, assets, policy, crumb: code, content });
}
