import { type ProgramIo, type Resolved, textFlag, texts, valueFlag } from '@msg/command-line';
import { AllowedOrigins } from '../data/dial/allowed-origins.ts';
import type { QuerySettings } from '../data/sources.ts';
import { readText } from './input.ts';

/** Flags of the commands that ask for rows (page and review 5.1). */
export const QUERY_SETTINGS = {
  allowQuery: valueFlag(
    '--allow-query',
    texts,
    [],
    'an origin that may be asked, and secrets that may be sent there: http://127.0.0.1:9090=PROM_TOKEN',
    { placeholder: 'origin' },
  ),
  allowQueryFile: textFlag('--allow-query-file', 'file', 'file with one such origin a line'),
} as const;

/**
 * What the flags allow. Lines of the file that are empty or start with `#` say nothing.
 * @throws DashError CLI_INVALID for any other entry than an origin, RESOLVE_IO for a file that cannot be read.
 */
export async function querySettings(
  { allowQuery, allowQueryFile }: Resolved<typeof QUERY_SETTINGS>,
  io: ProgramIo,
): Promise<QuerySettings> {
  const text = allowQueryFile === undefined ? '' : await readText(allowQueryFile, io);
  const lines = text.split('\n').filter(line => line.trim() !== '' && !line.trim().startsWith('#'));
  return { allowed: new AllowedOrigins([...allowQuery, ...lines]) };
}
