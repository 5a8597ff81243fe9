import type { DataSourceKind } from './contract.ts';
import { STATIC } from './static.ts';

/** The connection types whose queries are run. A source is a row here and its file. */
export const DATA_SOURCE_KINDS: readonly DataSourceKind[] = [STATIC];
