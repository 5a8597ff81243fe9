import { systemClock } from '@msg/foundation/clock';
import { loadCatalog } from '#src/catalog/index.ts';
import { applyChangeset } from '#src/changeset/apply.ts';
import { parseChangeset } from '#src/changeset/parse.ts';
import { DATA_SOURCE_KINDS } from '#src/data/kinds.ts';
import type { DataSourceKind } from '#src/data/source.ts';
import { DataSources } from '#src/data/sources.ts';
import type { Json, JsonObject } from '#src/document/json.ts';
import { documentEngine } from '#src/reads/document-engine.ts';
import { Charts } from '#src/render/chart/charts.ts';
import { type Compared, type CompareRequest, compareDocuments } from '#src/web/compare/compare.ts';

const engine = documentEngine(loadCatalog());

/** Compares documents of the built-in types, with painter and sources of its own. */
export class Comparing {
  readonly #charts = new Charts(systemClock);

  /** A document, and what operations make of it. */
  after(id: string, before: JsonObject, ops: readonly Json[]): JsonObject {
    return applyChangeset(id, before, parseChangeset([...ops]), engine.types);
  }

  compare(request: CompareRequest, kinds: readonly DataSourceKind[] = DATA_SOURCE_KINDS): Promise<Compared> {
    const sources = new DataSources({ rowsError: engine.rowsError, kinds });
    return compareDocuments({ engine, sources, painter: this.#charts }, request);
  }

  close(): Promise<void> {
    return this.#charts.close();
  }
}
