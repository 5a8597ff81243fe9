import { HTTP } from './http/kind.ts';
import { MSG } from './msg/kind.ts';
import { PROMETHEUS } from './prometheus/kind.ts';
import type { DataSourceKind } from './source.ts';
import { SQL } from './sql/kind.ts';
import { STATIC } from './static/kind.ts';

/** The connection types whose queries are run. A source is a row here and its folder. */
export const DATA_SOURCE_KINDS: readonly DataSourceKind[] = [STATIC, HTTP, PROMETHEUS, SQL, MSG];
