// npm run bench -- dash [--runs 9]: resolution, and dry runs of changesets, of documents of 50, 500 and 5,000 nodes, with the growth.
import { parseArgs } from 'node:util';
import {
  canonicalBytes,
  type DocumentStore,
  dryRunChangeset,
  type Json,
  type JsonObject,
  loadCatalog,
  nodeTypes,
  type ResolvedTree,
  resolveDocument,
  type Workshop,
} from '@msg/dash';

const SIZES = [50, 500, 5_000];
const ID = 'bench';

/** Median times of one document size, in milliseconds. */
interface Row {
  readonly nodes: number;
  readonly bytes: number;
  readonly resolve: number;
  readonly oneField: number;
  readonly tenMoves: number;
}

/** Runs the measurement and prints one line per size. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { runs: { type: 'string', default: '9' } } });
  const rows: Row[] = [];
  for (const nodes of SIZES) rows.push(await measure(nodes, Number(values.runs)));
  console.log('dash: resolution and whole dry runs, median in ms');
  console.log('  nodes     bytes     resolve   one field   ten moves   growth (per node, one field)');
  for (const [index, row] of rows.entries()) console.log(line(row, rows[index - 1]));
}

function line(row: Row, before: Row | undefined): string {
  const growth =
    before === undefined ? '' : (row.oneField / before.oneField / (row.nodes / before.nodes)).toFixed(2);
  const cells = [
    row.nodes,
    row.bytes,
    row.resolve.toFixed(2),
    row.oneField.toFixed(2),
    row.tenMoves.toFixed(2),
    growth,
  ];
  return cells.map((cell, column) => String(cell).padStart([7, 10, 12, 12, 12, 9][column] ?? 0)).join('');
}

const catalog = loadCatalog();

async function measure(nodes: number, runs: number): Promise<Row> {
  const bytes = canonicalBytes(documentOf(nodes));
  const store = { capabilities: new Set(['revisions']), load: async () => ({ bytes, revision: '1' }) };
  // A dry run asks a store for nothing but one snapshot.
  const shop: Workshop<ResolvedTree> = {
    store: store as unknown as DocumentStore,
    types: nodeTypes(catalog),
    resolve: document => resolveDocument(document, catalog),
  };
  const oneField = [{ op: 'replace', path: '/leaf-0/config/text', value: 'changed' }];
  const tenMoves = Array.from({ length: 10 }, (_, at) => ({
    op: 'move',
    from: `/block-${at}`,
    path: '/body/children/-',
  }));
  const time = async (work: () => unknown): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < runs; round += 1) {
      const start = performance.now();
      await work();
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN;
  };
  const dryRun = (ops: unknown) => time(() => dryRunChangeset(shop, { id: ID, ops }));
  await dryRun(oneField);
  return {
    nodes,
    bytes: bytes.byteLength,
    resolve: await time(() => resolveDocument(documentOf(nodes), catalog)),
    oneField: await dryRun(oneField),
    tenMoves: await dryRun(tenMoves),
  };
}

/** A page whose body holds blocks with one heading each. */
function documentOf(nodes: number): JsonObject {
  const blocks: Json[] = Array.from({ length: (nodes - 2) / 2 }, (_, at) => ({
    id: `block-${at}`,
    type: 'block',
    placement: { colStart: 1, rowStart: (at % 1_000) + 1 },
    config: {
      title: `Block ${at}`,
      content: { id: `leaf-${at}`, type: 'heading', config: { text: `Text ${at}`, level: 2 } },
    },
  }));
  const body = { id: 'body', type: 'container', children: blocks };
  return {
    manifest: { formatVersion: '1.0.0', id: ID },
    root: { id: 'page', type: 'container', children: [body] },
  };
}
