import { icon } from '../icons.ts';
import { attributes, html, type Markup, trusted } from '../markup.ts';
import type { DataTable, DrawnSeries, Picture, Plot } from './model.ts';
import { seriesDash, seriesRole } from './roles.ts';
import { latestText, summaryOf } from './summary.ts';

/** Rows of the table beside a chart; the CSV has all. */
const MOST_ROWS = 1_000;

/**
 * A painted chart as a person meets it: legend, picture with its sentence, the same numbers as a table.
 * @param svg Text that `writeSvg` has made.
 * @param hidden Names of series that the legend has switched off; the table has them all the same.
 */
export function chartFigure(picture: Picture, svg: string, hidden: ReadonlySet<string> = new Set()): Markup {
  const legend = picture.kind === 'pie' ? '' : legendOf(picture, hidden);
  const label = picture.title === undefined ? summaryOf(picture) : `${picture.title}. ${summaryOf(picture)}`;
  return html`${legend}<div class="plot"><div class="chart"${attributes({ role: 'img', 'aria-label': label })}>${trusted(svg)}</div></div><details class="numbers"><summary>Show as table</summary>${tableOf(picture.table, picture.title)}</details>`;
}

/**
 * The names of two series or more, and always those that are the values of a column, because only they say it. The
 * script of the page makes a button of each entry.
 */
function legendOf({ kind, series, by }: Plot, hidden: ReadonlySet<string>): Markup | '' {
  if (series.length < 2 && by === undefined) return '';
  const entry = (name: string) => attributes({ 'data-series': name, 'data-off': hidden.has(name) });
  return html`<ul class="legend">${series.map(drawn => html`<li${entry(drawn.name)}>${swatch(kind, drawn)}<span>${drawn.name}</span>${latest(drawn)}</li>`)}</ul>${othersNote(by, series.length)}`;
}

/** That a column has more values than a chart has series. */
function othersNote(by: Plot['by'], drawn: number): Markup | '' {
  if (by === undefined || by.others === 0) return '';
  const words = `other ${by.others}: only the first ${drawn} values of ${by.key} are drawn`;
  return html`<p class="others small">${icon('warning')}<span>${words}</span></p>`;
}

function latest(series: DrawnSeries): Markup | undefined {
  const text = latestText(series);
  return text === undefined ? undefined : html` <span class="value">${text}</span>`;
}

/** A piece of the line, or of the face, as the chart has it. */
function swatch(kind: string, { slot }: DrawnSeries): Markup {
  const colour = `var(${seriesRole(slot)})`;
  const line = attributes({
    d: 'M0 4h16',
    stroke: colour,
    'stroke-width': 2.5,
    'stroke-dasharray': seriesDash(slot)?.join(' '),
  });
  const shape =
    kind === 'bar' ? html`<rect width="10" height="8" x="3" fill="${colour}"/>` : html`<path${line}/>`;
  const mark = kind === 'scatter' ? html`<circle cx="8" cy="4" r="3.5" fill="${colour}"/>` : shape;
  return html`<svg viewBox="0 0 16 8" aria-hidden="true">${mark}</svg>`;
}

function tableOf({ head, rows }: DataTable, title = 'Numbers of the chart'): Markup {
  const [first = '', ...others] = head;
  const heads = others.map(name => html`<th scope="col" class="num">${name}</th>`);
  const lines = rows.slice(0, MOST_ROWS).map(([name = '', ...cells]) => {
    const figures = cells.map(cell => html`<td class="num">${cell}</td>`);
    return html`<tr><th scope="row">${name}</th>${figures}</tr>`;
  });
  const more =
    rows.length > MOST_ROWS
      ? html`<p class="small soft">${rows.length - MOST_ROWS} more rows are in the CSV.</p>`
      : '';
  return html`<div class="tablewrap" tabindex="0"${attributes({ role: 'group', 'aria-label': `${title}, as a table` })}><table class="table"><thead><tr><th scope="col">${first}</th>${heads}</tr></thead><tbody>${lines}</tbody></table></div>${more}`;
}
