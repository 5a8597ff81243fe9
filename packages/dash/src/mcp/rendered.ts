import { systemClock } from '@msg/foundation/clock';
import type { TriedChangeset } from '../changeset/pipeline.ts';
import { DATA_SOURCE_KINDS } from '../data/kinds.ts';
import { DataSources } from '../data/sources.ts';
import { Charts } from '../render/chart/charts.ts';
import type { ResolvedTree } from '../resolve/tree.ts';
import { compareDocuments } from '../web/compare/compare.ts';
import { type Fragments, fragmentsOf } from '../web/compare/fragments.ts';
import type { ToolContext } from './tool.ts';

/** Without an origin that may be asked, only rows that stand in the document are drawn. */
const KINDS = DATA_SOURCE_KINDS.filter(({ atHand }) => atHand);

/**
 * The changed items of a changeset, drawn as the review draws them: queries that it adds run where they would run in the
 * review of a proposal that was handed over. The painter lives as long as the call.
 */
export async function renderedItems(
  { before, after }: TriedChangeset<ResolvedTree>,
  { engine, queries }: ToolContext,
): Promise<Fragments> {
  const painter = new Charts(systemClock);
  const asked = queries !== undefined && queries.origins.length > 0 ? queries.sources : undefined;
  const sources = asked ?? new DataSources({ rowsError: engine.rowsError, kinds: KINDS });
  try {
    return fragmentsOf(await compareDocuments({ engine, sources, painter }, { before, after, held: 'some' }));
  } finally {
    await painter.close();
    if (asked === undefined) await sources.close();
  }
}
