import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TimelineEvent } from '../plan/timeline.ts';
import { escaped } from './escaped.ts';
import { LEGEND, lanesChart } from './lanes.ts';

/** A run as the page shows it. */
export interface ViewedRun {
  /** Such as `O5`; empty: nothing was broken. */
  readonly oracle: string;
  /** The sentence that the oracle proves. */
  readonly promise: string;
  /** What was observed instead. */
  readonly observed: string;
  /** The moment that everything is relative to: of the violation, or the end of the run. */
  readonly atUs: number;
  /** What the run was, by name. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** The command that plays it again. */
  readonly again: string;
  readonly events: readonly TimelineEvent[];
}

/** Largest file. */
export const MOST_BYTES = 200_000;

const ROOT = join(import.meta.dirname, '../../../..');
/** The tokens of all pages, and what this one makes of them. */
const STYLES = [join(ROOT, 'docs/.vitepress/theme/tokens.css'), join(import.meta.dirname, 'view.css')];
const SCRIPT = join(import.meta.dirname, 'view.js');

/** One HTML file that shows a run; it takes nothing from a network. Of too many events it has the last before the moment. */
export function viewPage(run: ViewedRun): string {
  const past = run.events.filter(({ atUs }) => atUs <= run.atUs).toSorted((a, b) => a.atUs - b.atUs);
  for (let count = past.length; ; count = Math.floor(count * 0.9)) {
    const page = pageOf(run, past.slice(past.length - count), past.length - count);
    if (count === 0 || Buffer.byteLength(page) <= MOST_BYTES) return page;
  }
}

function pageOf(run: ViewedRun, shown: readonly TimelineEvent[], left: number): string {
  const { oracle, atUs, facts, again } = run;
  const title = oracle === '' ? 'Run' : `${oracle} is broken`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${escaped(title)} · simulation</title>
<style>${STYLES.map(file => readFileSync(file, 'utf8')).join('')}</style>
</head>
<body>
<a class="skip" href="#events">Skip to the events</a>
<main>
<header>
<p class="eyebrow">Simulated run</p>
${headOf(run)}
<dl class="facts">${facts.map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`).join('')}</dl>
<p class="again"><span>Play it again</span> <code>${escaped(again)}</code></p>
</header>
<section class="panel" aria-labelledby="lanes">
<div class="bar"><h2 id="lanes">Who did what, when</h2>${LEGEND}</div>
${lanesChart(shown, atUs)}
</section>
<section class="panel" aria-labelledby="events">
<div class="bar"><h2 id="events">Events</h2>
<form><label class="field"><span>Filter</span> <input type="search" id="words" placeholder="words, such as c1" autocomplete="off"></label>
<label class="field"><span>Lane</span> <select id="lane"><option value="">all lanes</option></select></label></form>
<p class="steps"><button type="button" id="back">Previous</button><button type="button" id="on">Next</button><output id="count"></output></p></div>
${left > 0 ? `<p class="left">${left.toLocaleString('en-US')} earlier events are not shown.</p>` : ''}
<table><thead><tr><th scope="col" class="num">Seconds</th><th scope="col">Lane</th><th scope="col">What happened</th></tr></thead>
<tbody>${shown.map(event => rowOf(event, atUs)).join('\n')}</tbody></table>
<p class="none" hidden>No event fits the filter.</p>
</section>
</main>
<script>${readFileSync(SCRIPT, 'utf8')}</script>
</body>
</html>
`;
}

function headOf({ oracle, promise, observed, atUs }: ViewedRun): string {
  const at = `${(atUs / 1_000_000).toFixed(3)} s`;
  if (oracle === '') return `<h1>No promise was broken in ${at}</h1>`;
  return `<h1>${escaped(oracle)} is broken at ${at}</h1>
<dl class="verdict"><div><dt>Expected</dt><dd>${escaped(promise)}</dd></div><div class="bad"><dt>Observed</dt><dd>${escaped(observed)}</dd></div></dl>`;
}

function rowOf({ atUs, lane, text }: TimelineEvent, momentUs: number): string {
  return `<tr><td class="num">${((atUs - momentUs) / 1_000_000).toFixed(3)}<td>${escaped(lane)}<td>${escaped(text)}`;
}
