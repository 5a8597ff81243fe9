import { maskedOperations } from '../../changeset/credential-mask.ts';
import { withoutCredentials } from '../../document/credentials.ts';
import type { Json } from '../../document/json.ts';
import type { ErrorEnvelope } from '../../errors.ts';
import { icon } from '../../render/icons.ts';
import { html, type Markup } from '../../render/markup.ts';
import { nameOf } from '../compare/compare.ts';
import type { ReviewPageParts } from './parts.ts';

/** What is true of the whole page, above the items. */
export function banners(parts: ReviewPageParts): Markup {
  const { answer } = parts;
  const isOpen = answer.state === 'open';
  const live = isOpen
    ? html`<div class="banner note" id="changed" role="status" hidden>${icon('warning')}<span class="grow" id="changed-words"></span>${tryAgain()}</div><div id="outcome" tabindex="-1"></div>`
    : '';
  return html`${isOpen && !answer.current ? notCurrent(answer.create) : ''}${live}${answer.baseIsGone === true ? baseIsGone() : ''}${problem(parts)}${warnings(parts)}${held(parts)}`;
}

function notCurrent(create: boolean | undefined): Markup {
  const words =
    create === true
      ? 'A dashboard of this id exists by now.'
      : 'The document has changed since this was proposed: a commit would be refused.';
  return html`<div class="banner note" id="stale">${icon('warning')}<span class="grow">${words}</span>${tryAgain()}</div>`;
}

function tryAgain(): Markup {
  return html`<button class="btn sm js-only" type="button" data-do="rebase">Try it on the current one</button>`;
}

function baseIsGone(): Markup {
  return html`<div class="banner note">${icon('warning')}<span class="grow">The state that was proposed on cannot be had any more: “before” is the document as it was when this was handed over.</span></div>`;
}

/** Why nothing can be committed. */
function problem({ answer }: ReviewPageParts): Markup | '' {
  if (answer.problem === undefined) return '';
  const { code, message } = answer.problem;
  const place = placeOf(answer.problem);
  const where = place === undefined ? '' : html` <span class="soft">In <code>${place}</code>.</span>`;
  const operations =
    answer.words === undefined
      ? html`<details class="small"><summary>The ${answer.ops.length === 1 ? 'operation' : `${answer.ops.length} operations`}</summary><pre class="payload" tabindex="0">${JSON.stringify(maskedOperations(answer.ops as readonly Json[]), null, 2)}</pre></details>`
      : '';
  return html`<div class="fault" id="problem" role="group" aria-label="Error"><span class="code">${code}</span><p class="wrap"><strong>This cannot be committed.</strong> ${message}${where}</p>${operations}</div>`;
}

/** What is worth a look in the whole document, though it forbids nothing. */
function warnings({ answer: { warnings = [] } }: ReviewPageParts): Markup | '' {
  if (warnings.length === 0) return '';
  const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`;
  const rows = warnings.map(
    ({ code, message }) => html`<li class="wrap"><code>${code}</code> ${message}</li>`,
  );
  return html`<div class="banner warn" id="warnings">${icon('warning')}<details class="grow"><summary>${count} about the dashboard after the change</summary><ul class="small stack s3 list">${rows}</ul></details></div>`;
}

function placeOf({ details }: ErrorEnvelope): string | undefined {
  const { path, pointer } = details;
  return typeof pointer === 'string' ? pointer : typeof path === 'string' ? path : undefined;
}

/** Queries that wait for a person, with their text. */
function held({ compared, answer }: ReviewPageParts): Markup | '' {
  if (compared === undefined || compared.held.length === 0) return '';
  const { length } = compared.held;
  const count = length === 1 ? '1 query' : `${length} queries`;
  const rows = compared.held.map(
    ({ nodeId, connectionType, query }) =>
      html`<li><span class="soft">${nameOf(compared.documents, nodeId)}, ${connectionType}:</span> <code class="wrap">${JSON.stringify(withoutCredentials(query ?? {}))}</code></li>`,
  );
  const source = answer.via === 'link' ? 'a link, which anybody can write' : 'a proposal';
  const run =
    answer.state === 'open'
      ? html`<button class="btn sm js-only" type="button" data-do="run">Run ${count}</button>`
      : '';
  return html`<div class="banner warn" id="held">${icon('warning')}<div class="grow stack s3"><span>${count} of ${source}, not run yet.</span><ul class="small stack s3">${rows}</ul></div>${run}</div>`;
}
