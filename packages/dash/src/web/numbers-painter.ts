import { isJsonObject, type Json } from '../document/json.ts';
import { textMember } from '../render/context.ts';
import type { ChartPainter } from '../render/drawing.ts';
import { cellText } from '../render/items/leaf.ts';
import { html } from '../render/markup.ts';

/** Shows the numbers of a chart as a table. */
export const numbersPainter: ChartPainter = {
  draw: async ({ config, rows }) => {
    const x = textMember(config, 'x') ?? '';
    const series = (Array.isArray(config['series']) ? config['series'] : []).filter(isJsonObject);
    const keys = [{ key: x, name: textMember(config, 'xLabel') ?? x }, ...series.map(entry => keyOf(entry))];
    const head = keys.map(({ name }) => html`<th scope="col">${name}</th>`);
    const cell = (value: Json | undefined) => html`<td>${cellText(value)}</td>`;
    const body = rows.slice(0, 1_000).map(row => html`<tr>${keys.map(({ key }) => cell(row[key]))}</tr>`);
    const table = html`<div class="tablewrap" tabindex="0" role="region" aria-label="Numbers"><table class="table"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
    return { html: String(table) };
  },
};

function keyOf(series: Readonly<Record<string, Json>>): { key: string; name: string } {
  const key = textMember(series, 'field') ?? '';
  return { key, name: textMember(series, 'label') ?? key };
}
