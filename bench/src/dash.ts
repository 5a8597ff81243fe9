// npm run bench -- dash [--runs 9]: resolution, and dry runs of changesets, of documents of 50, 500 and 5,000 nodes, with the growth.
import { parseArgs } from 'node:util';
import { documentWork } from './subjects/dash.ts';

const SIZES = [50, 500, 5_000];

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

async function measure(nodes: number, runs: number): Promise<Row> {
  const { bytes, work } = documentWork(nodes);
  const time = async (once: () => unknown): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < runs; round += 1) {
      const start = performance.now();
      await once();
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN;
  };
  await time(work['one field']);
  return {
    nodes,
    bytes,
    resolve: await time(work.resolve),
    oneField: await time(work['one field']),
    tenMoves: await time(work['ten moves']),
  };
}
