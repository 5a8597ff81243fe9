import { html, type Markup } from '../../render/markup.ts';

/** How both sides stand: radio buttons that the style sheet reads, so they work without a script. */
const VIEWS = { pair: 'Side by side', stack: 'Stacked', swipe: 'Swipe' } as const;

/** The bar above a comparison. @param other Link to the other form of the comparison. */
export function viewSwitch(other: { readonly address: string; readonly words: string } | undefined): Markup {
  const radios = Object.entries(VIEWS).map(
    ([name, words]) =>
      html`<label class="view-${name}"><input type="radio" name="view" id="view-${name}" value="${name}"${name === 'pair' ? html` checked` : ''}>${words}</label>`,
  );
  const link =
    other === undefined
      ? ''
      : html`<a class="btn" id="other-view" href="${other.address}">${other.words}</a>`;
  return html`<div class="line viewbar"><div class="segmented" role="radiogroup" aria-label="View">${radios}</div><span class="grow"></span><span class="small mute hide-small js-only"><kbd>j</kbd> <kbd>k</kbd> next, previous &nbsp; <kbd>v</kbd> view</span>${link}</div>`;
}
