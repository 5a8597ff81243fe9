import { DISCONNECT_CODES, UNSUBSCRIBE_CODES } from '@msg/protocol';
import { type ClassResult, GOAL, type Piece, type Result, readResult, sumOf } from '@msg/sim/campaign';
import { markdownTable } from './markdown-table.ts';

const BEGIN = '<!-- generated: campaign -->';
const END = '<!-- end of the generated part -->';

/** What each exception stands for, and the count of it. */
const EXCEPTIONS = [
  ['E1', 'exceptions E1', 'clients that nobody could tell what a fail-over lost'],
  ['E2', 'lost', 'publications that a node did not hear in time'],
  ['E3', 'wiped', 'times that the store lost everything'],
  ['O29', 'stale', 'clients that were told 3502 after 15 s without a connect'],
] as const;
/** Reasons of the codes, of the protocol's tables. */
const REASONS = new Map(
  [...UNSUBSCRIBE_CODES, ...DISCONNECT_CODES].map(({ code, reason }) => [String(code), reason]),
);

/** What the recorded campaigns came to, as Markdown. */
export function campaignSection(result: Result = readResult()): string {
  const goal = `The goal is ${shown(GOAL.deliveries)} deliveries and ${shown(GOAL.clusterHours)} cluster hours.`;
  if (result.pieces.length === 0) return `No campaign is recorded yet. ${goal}`;
  const sum = sumOf(result);
  const count = (name: string): number =>
    Object.values(sum.classes).reduce((total, { counts }) => total + (counts[name] ?? 0), 0);
  return [
    `${shown(sum.deliveries)} deliveries and ${shown(sum.clusterHours)} cluster hours in ${shown(sum.seeds)} seeds and ` +
      `${shown(sum.coreHours)} core hours so far. ${goal}`,
    piecesTable(result.pieces),
    classesTable(sum.classes),
    `${shown(count('recovered'))} subscriptions were recovered, ${shown(count('unrecovered'))} were told that they were not.`,
    countsTable(['Code', 'Reason', 'Times'], sum.codes, code => [code, REASONS.get(code) ?? '']),
    countsTable(['Fault', 'Times'], sum.faults, name => [name]),
    markdownTable(
      ['Exception', 'What is counted', 'Times'],
      EXCEPTIONS.map(([id, name, what]) => [id, what, shown(count(name))]),
    ),
    findingsOf(result.pieces),
  ].join('\n\n');
}

/** A page with the section between the marks. */
export function withCampaign(page: string): string {
  const [before, rest = ''] = page.split(BEGIN);
  const after = rest.split(END)[1];
  if (after === undefined) throw new Error('docs/proof.md lacks the marks of the campaign');
  return `${before}${BEGIN}\n${campaignSection()}\n${END}${after}`;
}

function piecesTable(pieces: readonly Piece[]): string {
  return markdownTable(
    ['Date', 'Commit', 'Node.js', 'Classes', 'Seeds', 'Core hours', 'Deliveries', 'Cluster hours'],
    pieces.map(({ date, commit, node, seeds, ...piece }) => [
      date,
      `\`${commit.slice(0, 12)}\``,
      node,
      piece.class,
      seeds.map(([first, last]) => (first === last ? String(first) : `${first}–${last}`)).join(', '),
      ...[piece.coreHours, piece.deliveries, piece.clusterHours].map(shown),
    ]),
  );
}

function classesTable(classes: Readonly<Record<string, ClassResult>>): string {
  return markdownTable(
    [
      'Class',
      'Seeds',
      'Virtual hours',
      'Cluster hours',
      'Core hours',
      'Deliveries',
      'Recovered',
      'Unrecovered',
    ],
    Object.entries(classes).map(([name, { seeds, hours, clusterHours, coreHours, counts }]) => [
      name,
      ...[seeds, hours, clusterHours, coreHours].map(shown),
      ...['deliveries', 'recovered', 'unrecovered'].map(each => shown(counts[each] ?? 0)),
    ]),
  );
}

function countsTable(
  head: readonly string[],
  counts: Readonly<Record<string, number>>,
  cells: (name: string) => string[],
): string {
  return markdownTable(
    head,
    Object.keys(counts)
      .toSorted()
      .map(name => [...cells(name), shown(counts[name] ?? 0)]),
  );
}

function findingsOf(pieces: readonly Piece[]): string {
  const rows = pieces.flatMap(({ commit, findings }) =>
    findings.map(({ oracle, seed, text, corpus, ...finding }) => [
      `\`${commit.slice(0, 12)}\``,
      `${seed} of ${finding.class}`,
      oracle,
      text,
      corpus === null ? '' : `[${corpus}](../packages/sim/corpus/${corpus}.json)`,
    ]),
  );
  if (rows.length === 0) return 'No promise was broken.';
  return markdownTable(['Commit', 'Seed', 'Oracle', 'What', 'Plan'], rows);
}

function shown(number: number): string {
  return number.toLocaleString('en-US', { maximumFractionDigits: 2 });
}
