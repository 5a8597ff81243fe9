import type { ImportContext } from './context.ts';
import type { ImportedConnection } from './data-sources.ts';
import type { PanelQuery } from './panel-query.ts';
import { prometheusQuery } from './prometheus.ts';
import type { PanelSource, TargetSource } from './source.ts';
import { sqlQuery } from './sql.ts';

/** Longest texts of queries, by the schemas of the connections. */
const LONGEST: Readonly<Record<string, number>> = { prometheus: 10_000, sql: 20_000 };

/**
 * The query of a panel. An item asks one connection: what a panel asks of others is lost.
 * @param instant true for an item that shows one moment only.
 * @returns the reason where the panel cannot be asked.
 */
export function panelQuery(
  panel: PanelSource,
  context: ImportContext,
  instant: boolean,
): PanelQuery | string {
  const { report } = context;
  const chosen: TargetSource[] = [];
  let connection: ImportedConnection | undefined;
  let reason = 'the panel asks nothing';
  for (const target of panel.targets) {
    const why = unfit(target);
    if (why !== undefined) {
      report.lose(target.whole, why);
      reason = why;
      continue;
    }
    const source = context.sources.of(target);
    if (typeof source === 'string') {
      report.lose(target.whole, source);
      reason = source;
    } else if (connection !== undefined && source.id !== connection.id)
      report.lose(target.whole, 'an item asks one connection');
    else if (textOf(target).length > (LONGEST[source.kind] ?? 0))
      report.lose(target.whole, 'the query is too long');
    else {
      connection = source;
      chosen.push(target);
    }
  }
  if (connection === undefined) return reason;
  if (connection.kind === 'sql') return sqlQuery(connection.id, chosen, context);
  const { query, by, name } = prometheusQuery(panel, chosen, context, instant);
  return {
    connectionId: connection.id,
    query,
    x: 'time',
    value: 'value',
    by,
    name,
    isMoment: query['instant'] === true,
    areKeysKnown: true,
  };
}

function unfit(target: TargetSource): string | undefined {
  if (target.hidden.value === true) return 'the query is hidden';
  return textOf(target).trim() === '' ? 'the query has no text that dash could ask' : undefined;
}

function textOf({ spec }: TargetSource): string {
  return spec.at('expr').text ?? spec.at('rawSql').text ?? '';
}
