import { maskedOperations } from '../../changeset/credential-mask.ts';
import type { JsonObject } from '../../document/json.ts';
import type { Proposal } from '../../proposals/proposal.ts';
import { html, type Markup } from '../../render/markup.ts';
import type { Assets } from '../assets.ts';
import { jsonDifference } from '../compare/json-difference.ts';
import type { PagePolicy } from '../policy.ts';
import { shell } from '../shell.ts';

export interface JsonPageParts {
  readonly assets: Assets;
  readonly policy: PagePolicy;
  readonly proposal: Proposal;
  readonly before: JsonObject;
  /** Absent where the operations do not apply. */
  readonly after?: JsonObject;
}

/** The operations of a proposal, and both documents line by line. */
export function jsonPage({ assets, policy, proposal, before, after }: JsonPageParts): Markup {
  const { name, request } = proposal;
  const difference =
    after === undefined
      ? html`<p class="fault">The operations do not apply, so there is no difference.</p>`
      : jsonDifference(before, after);
  const ops = html`<pre class="payload" tabindex="0">${JSON.stringify(maskedOperations(request.ops), null, 2)}</pre>`;
  const content = html`<div class="stack s5"><div class="pagehead"><h1>JSON of the proposal</h1><a class="btn" href="/r/${name}">Back to the review</a></div><section class="stack s3" aria-labelledby="difference"><h2 id="difference">Difference</h2>${difference}</section><section class="stack s3" aria-labelledby="operations"><h2 id="operations">Operations</h2>${ops}</section></div>`;
  const between = [[`/r/${name}`, 'Review']] as const;
  return shell({
    title: 'JSON of a proposal',
    assets,
    policy,
    crumb: 'JSON',
    between,
    own: 'review',
    content,
  });
}
