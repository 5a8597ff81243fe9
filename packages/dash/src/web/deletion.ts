import { html, type Markup } from '../render/markup.ts';

/** What the dialog of a deletion says. */
export interface DeletionParts {
  readonly id: string;
  readonly title: string;
  /** The state that is deleted. */
  readonly current: string;
  /** Kind of the store, for what it keeps. */
  readonly store: string;
  readonly commits?: readonly object[];
}

/** The dialog of a deletion: who notices, what stays, and the id to type. */
export function deletion({ id, title, current, store, commits }: DeletionParts): Markup {
  const afterwards =
    commits === undefined
      ? html`The <code>${store}</code> store keeps no history: it cannot be brought back.`
      : html`Its history stays: each of its revisions can be brought back from here.`;
  return html`<dialog class="dialog" id="delete" aria-labelledby="delete-title"><header><h2 id="delete-title">Delete the dashboard “${title}”?</h2></header><div class="body stack s4"><p>It is gone for everybody at once; open pages of it say so. ${afterwards}</p><div class="field"><label for="delete-id">Type <span class="mono">${id}</span> to delete it</label><input class="input mono" id="delete-id" autocomplete="off" spellcheck="false" data-expected="${id}"></div><p class="cmd whole"><code>dashdoc delete ${id} --expect-revision ${current}</code></p><div class="fault" role="alert" hidden><span class="code"></span><span></span></div></div><footer class="line"><form method="dialog"><button class="btn">Cancel</button></form><button class="btn danger" type="button" data-act="delete-now" disabled>Delete dashboard</button></footer></dialog>`;
}
