import type { DashError } from '../../errors.ts';
import { html, type Markup } from '../../render/markup.ts';
import type { Assets } from '../assets.ts';
import type { PagePolicy } from '../policy.ts';
import { shell } from '../shell.ts';

/** In the place of a proposal that is not held: why, and what to ask for. */
export function unknownPage(
  { code, message }: DashError,
  { assets, policy }: { readonly assets: Assets; readonly policy: PagePolicy },
): Markup {
  const content = html`<div class="stack s5 narrow"><div class="pagehead"><h1>This proposal is not here</h1></div>
<div class="fault" role="alert"><span class="code">${code}</span><p class="wrap">${message}</p></div>
<p>Ask for the changeset to be validated again by the one who sent the link. The link stays the same: it is alive from then on.</p>
<p><a class="under" href="/review">Open proposals</a></p></div>`;
  return shell({ title: 'Unknown proposal', assets, policy, crumb: 'Review', content });
}
