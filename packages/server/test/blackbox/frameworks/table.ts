import { markdownTable } from '../../../../../scripts/markdown-table.ts';
import { MOUNTINGS } from './names.ts';

/** What is tried in every application. */
const COLUMNS = ['RPC', 'HTTP API', '`http_stream`', '`sse`', 'WebSocket', 'own POST route'] as const;

const BEGIN = '<!-- generated: mountings in frameworks -->';
const END = '<!-- end of the generated part -->';

function part(): string {
  const rows = MOUNTINGS.map(({ framework, place, hasBodies }) => {
    const withBody = hasBodies ? 'works' : '500 with the remedy';
    return [framework, place, withBody, withBody, withBody, withBody, 'works', 'works'];
  });
  return [BEGIN, markdownTable(['Framework', 'msg is mounted', ...COLUMNS], rows), END].join('\n');
}

/** The page with its table as the tested mountings are. */
export function withMountingTable(page: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END, begin);
  if (begin < 0 || end < begin) throw new Error(`${BEGIN} and ${END} must be in the page`);
  return page.slice(0, begin) + part() + page.slice(end + END.length);
}
