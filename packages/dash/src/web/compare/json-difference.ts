import { canonicalText } from '../../document/canonical.ts';
import { documentWithoutCredentials } from '../../document/credentials.ts';
import { escapeControls } from '../../document/display.ts';
import type { JsonObject } from '../../document/json.ts';
import { html, type Markup } from '../../render/markup.ts';
import { lineDiff, nearbyLines } from './line-diff.ts';

const AROUND = 3;
const SIGNS = { same: ' ', removed: '−', added: '+' } as const;
const WORDS = { same: '', removed: 'removed: ', added: 'added: ' } as const;

const shownText = (document: JsonObject): string => canonicalText(documentWithoutCredentials(document));

/** Two states of a document as stored but for credentials, line by line: for who does not trust the words. */
export function jsonDifference(before: JsonObject, after: JsonObject): Markup {
  const lines = nearbyLines(lineDiff(shownText(before), shownText(after)), AROUND);
  const rows = lines.map(line => {
    if ('hidden' in line) return html`<span class="l more">${line.hidden} equal lines</span>`;
    const { kind, text } = line;
    return html`<span class="l ${kind}"><span class="sr">${WORDS[kind]}</span><span aria-hidden="true">${SIGNS[kind]} </span>${escapeControls(text)}</span>`;
  });
  return html`<div class="payload lines" role="group" aria-label="Difference of the JSON" tabindex="0">${rows}</div>`;
}
