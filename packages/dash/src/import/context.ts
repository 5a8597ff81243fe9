import type { JsonObject } from '../document/json.ts';
import type { Cursor } from './cursor.ts';
import type { DataSources } from './data-sources.ts';
import { rewriteText } from './references.ts';
import type { ReportBuilder } from './report.ts';
import type { ImportedVariables } from './variables.ts';

/** What the catalogue lets an item say. */
export interface Offers {
  /** A chart can make a series of each value of a row key. */
  readonly chartBy: boolean;
  readonly chartThresholds: boolean;
  readonly metricThresholds: boolean;
}

/** What the parts of an import have in common. */
export interface ImportContext {
  readonly report: ReportBuilder;
  readonly variables: ImportedVariables;
  readonly sources: DataSources;
  readonly offers: Offers;
}

/** An item without its id. */
export interface ImportedItem {
  readonly type: string;
  readonly config: JsonObject;
}

/**
 * Puts a text of the file into a config, its references rewritten. A reference to no variable of the file stays text.
 * @returns the text as it stands there.
 */
export function putText(
  cursor: Cursor,
  config: JsonObject,
  key: string,
  { report, variables }: ImportContext,
  isQuery = false,
): string {
  const { text, unknown, forms } = rewriteText(cursor.text ?? '', variables.names, isQuery);
  config[key] = text;
  if (unknown.length > 0) {
    const names = [...new Set(unknown)].slice(0, 5).join(', ');
    report.change(cursor, `${names} is not a variable of the document and stays text`, config, key);
  } else if (forms.length > 0) {
    report.change(
      cursor,
      `dash has no form ${forms.slice(0, 5).join(', ')}: the plain value stands there`,
      config,
      key,
    );
  } else if (text === cursor.text) report.keep(cursor, config, key);
  else report.change(cursor, 'references to variables are written as dash has them', config, key);
  return text;
}
