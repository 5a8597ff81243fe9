// npm run bench -- dash [--runs 9]: dry runs of changesets on documents of 50, 500 and 5,000 nodes, with the growth.
import { parseArgs } from 'node:util';
import {
  canonicalBytes,
  type DocumentStore,
  dryRunChangeset,
  type Json,
  type JsonObject,
  type NodeType,
  type NodeTypes,
  type Workshop,
} from '@msg/dash';

const SIZES = [50, 500, 5_000];
const ID = 'bench';

/** Median times of one document size, in milliseconds. */
interface Row {
  readonly nodes: number;
  readonly bytes: number;
  readonly oneField: number;
  readonly tenMoves: number;
}

/** Runs the measurement and prints one line per size. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { runs: { type: 'string', default: '9' } } });
  const rows: Row[] = [];
  for (const nodes of SIZES) rows.push(await measure(nodes, Number(values.runs)));
  console.log('dash: dry run without resolution, median in ms');
  console.log('  nodes     bytes   one field   ten moves   growth (per node, one field)');
  for (const [index, row] of rows.entries()) console.log(line(row, rows[index - 1]));
}

function line(row: Row, before: Row | undefined): string {
  const growth =
    before === undefined ? '' : (row.oneField / before.oneField / (row.nodes / before.nodes)).toFixed(2);
  const cells = [row.nodes, row.bytes, row.oneField.toFixed(2), row.tenMoves.toFixed(2), growth];
  return cells.map((cell, column) => String(cell).padStart([7, 10, 12, 12, 9][column] ?? 0)).join('');
}

async function measure(nodes: number, runs: number): Promise<Row> {
  const bytes = canonicalBytes(documentOf(nodes));
  const store = { capabilities: new Set(['revisions']), load: async () => ({ bytes, revision: '1' }) };
  // A dry run asks a store for nothing but one snapshot.
  const shop: Workshop<JsonObject> = {
    store: store as unknown as DocumentStore,
    types,
    resolve: tree => tree,
  };
  const oneField = [{ op: 'replace', path: '/leaf-0/config/text', value: 'changed' }];
  const tenMoves = Array.from({ length: 10 }, (_, at) => ({
    op: 'move',
    from: `/block-${at}`,
    path: '/body/children/-',
  }));
  const time = async (ops: unknown): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < runs; round += 1) {
      const start = performance.now();
      await dryRunChangeset(shop, { id: ID, ops });
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN;
  };
  await time(oneField);
  return { nodes, bytes: bytes.byteLength, oneField: await time(oneField), tenMoves: await time(tenMoves) };
}

/** A page whose body holds blocks with one heading each. */
function documentOf(nodes: number): JsonObject {
  const blocks: Json[] = Array.from({ length: (nodes - 2) / 2 }, (_, at) => ({
    id: `block-${at}`,
    type: 'block',
    placement: { colStart: 1, rowStart: at + 1 },
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

const KINDS: Readonly<Record<string, NodeType>> = {
  container: { role: 'region', surface: new Map() },
  block: { role: 'wrapper', contentField: 'content', surface: new Map([['title', { type: 'string' }]]) },
  heading: { role: 'leaf', surface: new Map([['text', { type: 'string' }]]) },
};

const types: NodeTypes = { typeOf: node => KINDS[String(node['type'])], scopeSurface: () => new Map() };
