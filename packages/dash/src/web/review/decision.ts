import { icon } from '../../render/icons.ts';
import { html, type Markup } from '../../render/markup.ts';
import type { ReviewPageParts } from './parts.ts';
import { sendBackText } from './send-back.ts';

const SHORT_REVISION = 7;

/** The panel below the words: the decision, or what became of the proposal. */
export function decision(parts: ReviewPageParts, subject: string): Markup {
  const { state } = parts.answer;
  if (state === 'open') return open(parts, subject);
  const contents = {
    committed: () => committed(parts),
    returned: () => returned(parts),
    superseded: () => superseded(parts),
    expired: () => expired(),
  }[state]();
  return html`<section class="panel decide" id="decided" aria-labelledby="decide-name">${contents}</section>`;
}

function open({ answer }: ReviewPageParts, subject: string): Markup {
  const { problem, baseRevision, create } = answer;
  const expects =
    create === true
      ? 'Expects that the dashboard does not exist yet.'
      : baseRevision === undefined
        ? 'This store names no revisions: the last commit wins.'
        : html`Expects base <span class="mono">${baseRevision.slice(0, SHORT_REVISION)}</span>.`;
  const commit =
    problem === undefined
      ? html`<button class="btn primary" type="button" data-do="commit">${icon('check')}Commit <kbd>c</kbd></button>`
      : html`<button class="btn primary" type="button" aria-disabled="true" aria-describedby="problem">${icon('check')}Commit</button>`;
  const back = html`<button class="btn" type="button" data-do="send-back">${icon('reply')}Send back… <kbd>r</kbd></button>`;
  const undo = create === true || problem !== undefined ? '' : ' Can be undone after the commit.';
  const why =
    problem === undefined ? '' : html` <span>It does not resolve, so it cannot be committed.</span>`;
  return html`<section class="panel decide js-only" id="decide" aria-labelledby="decide-name"><h2 id="decide-name" class="sr">Decide</h2><div class="field"><label for="subject">Subject of the commit</label><textarea class="input" id="subject" rows="2" maxlength="200">${subject}</textarea></div><div class="line">${commit}${back}</div><p class="tiny mute">${expects}${undo}${why}</p><div id="refused" role="alert"></div></section>
${sendBackDialog()}<noscript><p class="banner note">Reading needs no script; to commit or send back, one does: this server takes JSON alone. <code>POST /api/patch</code> does the same.</p></noscript><div class="bottombar js-only">${commit}${back}</div>`;
}

function sendBackDialog(): Markup {
  return html`<dialog class="dialog" id="back" aria-labelledby="back-name"><form method="dialog"><header><h2 id="back-name">Send the proposal back?</h2></header><div class="body stack s4"><p class="soft">Nothing is committed. Who proposed reads the comment; you get a text to paste.</p><div class="field"><label for="comment">What is to be changed</label><textarea class="input" id="comment" rows="5" maxlength="2000"></textarea></div><div id="back-refused" role="alert"></div></div><footer class="line"><button class="btn" value="cancel" formnovalidate>Cancel</button><button class="btn primary" type="button" data-do="return">Send back</button></footer></form></dialog>`;
}

function committed({ answer }: ReviewPageParts): Markup {
  const { revision, id, inverse } = answer;
  const name =
    revision === undefined ? '' : html` as <span class="mono">${revision.slice(0, SHORT_REVISION)}</span>`;
  const undo =
    inverse === undefined
      ? ''
      : html`<button class="btn js-only" type="button" data-do="undo">${icon('reply')}Undo…</button>`;
  const way =
    inverse === undefined
      ? ''
      : html`<p class="tiny mute">Undo is a review of its own: nothing is committed before you have looked at it.</p>`;
  return html`<h2 id="decide-name" class="line">${icon('check')}<span>Committed${name}</span></h2><div class="line"><a class="btn primary" href="/d/${encodeURIComponent(id)}">Open the dashboard</a>${undo}</div>${way}<div id="refused" role="alert"></div>`;
}

function returned(parts: ReviewPageParts): Markup {
  const { comment = '' } = parts.answer;
  const text = sendBackText(parts);
  const said = comment === '' ? 'Without a comment.' : html`“${comment}”`;
  return html`<h2 id="decide-name">Sent back</h2><p class="wrap">${said}</p><div class="field"><label for="paste">For the agent, to paste</label><textarea class="input mono" id="paste" rows="10" readonly>${text}</textarea></div><div class="line js-only"><button class="btn" type="button" data-act="copy" data-text="${text}">${icon('copy')}Copy</button></div>`;
}

function superseded({ others }: ReviewPageParts): Markup {
  const newer = others.map(name => html`<li><a class="under mono" href="/r/${name}">${name}</a></li>`);
  const list =
    newer.length === 0
      ? html`<p>It was decided or has expired by now.</p>`
      : html`<ul class="stack s3">${newer}</ul>`;
  return html`<h2 id="decide-name">Superseded</h2><p>The one who proposed this has handed over a newer proposal for the dashboard.</p>${list}`;
}

function expired(): Markup {
  return html`<h2 id="decide-name">Expired</h2><p>A proposal waits for a decision for a day. Ask the one who proposed it to validate the changeset again: the same link is alive then.</p>`;
}
