import { defined } from '@msg/foundation/json';
import { display } from '../../document/display.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../../document/json.ts';
import { DashError } from '../../errors.ts';
import type { TimeWindow } from '../contract.ts';
import type { QueryPlan, Question } from '../source.ts';
import { durationMs, durationText } from './duration.ts';
import { aligned, fittingStep, requireFewPoints } from './step.ts';

const SCRAPE_MS = 15_000;
const USUAL_SPAN_MS = 6 * 3_600_000;

/** One expression as it is sent. */
export interface Expression {
  /** Name of the query where there are several. */
  readonly name?: string;
  readonly expr: string;
}

/**
 * What a query asks of Prometheus: its expressions with `$__interval` and its kin filled in, its span aligned to the
 * step (page and review 5.3).
 * @throws DashError QUERY_INVALID.
 */
export function planQuery({ config, query, window, now, width }: Question): QueryPlan {
  const scrape = duration(config, 'scrapeInterval') ?? SCRAPE_MS;
  const range = duration(query, 'range');
  const span = range === undefined ? (window ?? before(now, USUAL_SPAN_MS)) : before(now, range);
  const instant = ownMember(query, 'instant') === true;
  const step =
    duration(query, 'step') ?? (instant ? scrape : fittingStep(span.to - span.from, width, scrape));
  const asked = aligned(span, step);
  if (!instant) requireFewPoints(asked, step);
  const fill = (expr: string): string => filled(expr, { step, scrape, range: span.to - span.from });
  const queries = expressionsOf(query).map(({ name, expr }) => defined({ name, expr: fill(expr) }));
  const legend = ownMember(query, 'legend');
  return { query: defined({ queries, instant, step: step / 1_000, legend }) as JsonObject, window: asked };
}

/** The expressions of a query, or of its plan. */
export function expressionsOf(query: JsonObject): readonly Expression[] {
  const expr = ownMember(query, 'expr');
  if (typeof expr === 'string') return [{ expr }];
  const queries = ownMember(query, 'queries');
  return (Array.isArray(queries) ? queries : []).filter(isJsonObject).map(query => {
    const name: Json | undefined = ownMember(query, 'name');
    return defined({
      name: typeof name === 'string' ? name : undefined,
      expr: String(ownMember(query, 'expr')),
    });
  });
}

function before(now: number, ms: number): TimeWindow {
  return { from: now - ms, to: now };
}

function duration(object: JsonObject, member: string): number | undefined {
  const value = ownMember(object, member);
  if (value === undefined) return undefined;
  const ms = typeof value === 'string' ? durationMs(value) : undefined;
  if (ms !== undefined && ms > 0) return ms;
  const shown = typeof value === 'string' ? display(value) : typeof value;
  const message = `Member "${member}" of the query must be a duration such as 90s or 6h; got "${shown}".`;
  throw new DashError('QUERY_INVALID', message, { member });
}

function filled(expr: string, ms: { step: number; scrape: number; range: number }): string {
  const texts: Readonly<Record<string, string>> = {
    interval: durationText(ms.step),
    interval_ms: String(ms.step),
    rate_interval: durationText(Math.max(ms.step + ms.scrape, 4 * ms.scrape)),
    range: durationText(ms.range),
    range_s: String(Math.round(ms.range / 1_000)),
    range_ms: String(ms.range),
  };
  return expr.replace(/\$__([a-z_]+)\b/g, (whole, name: string) =>
    Object.hasOwn(texts, name) ? (texts[name] ?? whole) : whole,
  );
}
