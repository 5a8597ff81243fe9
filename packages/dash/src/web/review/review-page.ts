import { display, escapeControls } from '../../document/display.ts';
import type { ReviewAnswer } from '../../proposals/review.ts';
import { icon } from '../../render/icons.ts';
import { attributes, html, type Markup } from '../../render/markup.ts';
import { viewOf } from '../compare/view.ts';
import { viewSwitch } from '../compare/view-switch.ts';
import { moment } from '../moments.ts';
import { shell } from '../shell.ts';
import { banners } from './banners.ts';
import { decision } from './decision.ts';
import { reviewKeys } from './keys.ts';
import type { ReviewPageParts } from './parts.ts';
import { subjectText } from './subject.ts';

const SHORT_REVISION = 7;

/** The page on which a person reads a proposal and decides (page and review 3). */
export function reviewPage(parts: ReviewPageParts): Markup {
  const { assets, policy, answer, title, compared, whole } = parts;
  const view = compared === undefined ? undefined : viewOf(compared);
  const subject = subjectText(answer.id, answer.note, answer.words ?? []);
  const address = `/d/${encodeURIComponent(answer.id)}`;
  const about =
    answer.create === true ? html`a new dashboard` : html`<a class="under" href="${address}">${title}</a>`;
  const head = html`<div><p class="small mute">Proposal for ${about}</p><h1 class="wrap">${subject}</h1></div>${facts(parts)}`;
  const words =
    view === undefined
      ? ''
      : html`<section aria-labelledby="words-name"><h2 id="words-name" class="lh">${view.counts}</h2>${view.words}</section>`;
  const left = html`<div class="left"><div class="stack s5">${head}${words}${decision(parts, subject)}</div></div>`;
  const content = html`<div class="rev">${left}<div class="right stack">${banners(parts)}${compared === undefined ? '' : viewSwitch(viewLinks(parts))}${whole?.html ?? view?.items ?? ''}${jsonLink(parts)}</div></div>${reviewKeys()}<p class="sr" id="said" role="status"></p>`;
  return shell({
    title: `Review: ${subject}`,
    assets,
    policy,
    crumb: 'Review',
    between: answer.create === true ? [] : [[address, answer.id]],
    own: 'review',
    bar: answer.state === 'open' && answer.create !== true ? liveState() : '',
    content,
    css: whole?.css ?? view?.css ?? '',
    data: {
      page: 'review',
      proposal: answer.proposal,
      document: answer.id,
      base: answer.baseRevision,
      create: answer.create === true ? 'true' : undefined,
      state: answer.state,
    },
  });
}

function facts({ answer, now }: ReviewPageParts): Markup {
  const { proposer, proposedAt, note, via } = answer;
  const who =
    proposer === undefined
      ? html`<span class="mute">not said</span>`
      : html`${display(proposer.name)} ${display(proposer.version)} <span class="badge">unverified</span>`;
  const said = note === undefined ? '' : html`<dt>Note</dt><dd class="wrap">“${escapeControls(note)}”</dd>`;
  const link =
    via === 'link' ? html`<dt>Came by</dt><dd>a browser: a link, or a page of this server</dd>` : '';
  return html`<dl class="facts rows"><dt>Proposed by</dt><dd>${who}</dd><dt>When</dt><dd>${moment(proposedAt, now)}</dd>${baseFacts(answer)}${link}${said}</dl>`;
}

function baseFacts({ create, baseRevision, current, state }: ReviewAnswer): Markup | '' {
  if (create === true) return html`<dt>Base</dt><dd>an empty page</dd>`;
  const name =
    baseRevision === undefined
      ? html`the stored document`
      : html`<span class="mono">${baseRevision.slice(0, SHORT_REVISION)}</span>`;
  const fits =
    state !== 'open' ? '' : stateMark(current ? 'ok' : 'warn', current ? 'current' : 'not current');
  return html`<dt>Base</dt><dd>${name} ${fits}</dd>`;
}

/** A shape with its word. */
function stateMark(kind: 'ok' | 'warn' | 'off', word: string, more = {}): Markup {
  const shape = kind === 'warn' ? html`<path d="M5 .8 9.6 9H.4z"/>` : html`<circle cx="5" cy="5" r="4"/>`;
  return html`<span class="state ${kind}"${attributes(more)}><svg viewBox="0 0 10 10" aria-hidden="true">${shape}</svg><span>${word}</span></span>`;
}

/** Whether the page hears of changes of the document; its script keeps it true. */
function liveState(): Markup {
  return html`<span class="js-only hide-small">${stateMark('off', 'Connecting', { id: 'watch' })}</span>`;
}

function viewLinks({ answer, whole }: ReviewPageParts) {
  const address = `/r/${answer.proposal}`;
  return whole === undefined
    ? { address: `${address}?$view=page`, words: 'Whole page' }
    : { address, words: 'Items' };
}

function jsonLink({ answer, compared }: ReviewPageParts): Markup | '' {
  if (compared === undefined) return '';
  return html`<p><a class="btn quiet" id="json" href="/r/${answer.proposal}/json">${icon('right')}Show JSON</a></p>`;
}
