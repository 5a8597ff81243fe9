import type { SuiteRun } from './conform.ts';
import { RELEASES_HEADING } from './releases/table.ts';
import { SDKS_HEADING } from './server-sdks/table.ts';
import type { TestResult } from './suites/suite.ts';

/** What a test is about, by its name; the first pattern that fits. */
const FEATURES: readonly (readonly [feature: string, names: RegExp])[] = [
  ['delta compression', /delta|fossil/i],
  ['state of the application', /get_?state|state of the application|state_?invalidation/i],
  ['recovery and positions', /recover|position/i],
  ['tokens and refresh', /token|refresh|unauthorized|no rights|getData/i],
  ['presence', /presence|those present|who is there/i],
  ['join and leave', /join/i],
  ['history', /history/i],
  ['channel compaction', /compact/i],
  ['tags filter', /filter/i],
  ['remote procedure calls and sends', /rpc|holds calls back|send/i],
  ['unsubscribe', /unsubscri/i],
  ['subscribe', /subscri/i],
  ['publish and receive', /publish|publication|publishes/i],
  ['reconnect and network changes', /reconnect|network|offline|attempt/i],
  ['connect and disconnect', /connect|handshake|transport|ssl|proxy|teardown|timer/i],
];
const OTHER = 'the client itself';

/** A column: one client over one transport, in one encoding where its tests tell them apart. */
interface Column {
  readonly title: string;
  readonly tests: readonly TestResult[];
}

const JS_WAYS: readonly (readonly [title: string, prefix: string])[] = [
  ['websocket JSON', 'websocket '],
  ['websocket Protobuf', 'websocket, Protobuf '],
  ['http_stream JSON', 'http_stream '],
  ['http_stream Protobuf', 'http_stream, Protobuf '],
  ['sse JSON', 'sse '],
];

function columnsOf({ suite, client, results }: SuiteRun): Column[] {
  if (suite === 'java') return [{ title: `${client}, websocket Protobuf`, tests: results }];
  if (suite !== 'js') return [{ title: `${client}, websocket JSON and Protobuf`, tests: results }];
  return JS_WAYS.map(([title, prefix]) => ({
    title: `${client}, ${title}`,
    tests: results.filter(({ name }) => name.startsWith(prefix)),
  }));
}

function featureOf(name: string): string {
  return FEATURES.find(([, names]) => names.test(name))?.[0] ?? OTHER;
}

function cell(feature: string, { tests }: Column): string {
  const featureTests = tests.filter(({ name }) => featureOf(name) === feature);
  const passed = featureTests.filter(({ outcome }) => outcome === 'passed').length;
  if (featureTests.length === 0) return '–';
  return passed === featureTests.length ? String(passed) : `${passed} of ${featureTests.length}`;
}

function table(columns: readonly Column[]): string {
  const rows = [...FEATURES.map(([feature]) => feature), OTHER].map(
    feature => [feature, ...columns.map(column => cell(feature, column))] as const,
  );
  const shown = rows.filter(([, ...cells]) => cells.some(text => text !== '–'));
  const lines = [
    ['Feature', ...columns.map(({ title }) => title)],
    ['---', ...columns.map(() => '---')],
    ...shown,
  ];
  return lines.map(line => `| ${line.join(' | ')} |`).join('\n');
}

/** The part of the documentation's page about the clients' own tests, from a run of all suites. */
export function suitesPart(runs: readonly SuiteRun[]): string {
  const tables = [...new Set(runs.map(({ suite }) => suite))].map(suite => {
    const columns = runs.filter(run => run.suite === suite).flatMap(columnsOf);
    return table(columns);
  });
  return `# Conformance

Written by \`npm run conformance -- --write\` and \`npm run conformance -- clients --write\`; do not edit. How many tests of
public clients pass, by what they are about. The Go and Python clients' tests are their own, unmodified, as their packages
carry them; the tables of centrifuge-js and centrifuge-java count equivalents of their tests, with the published client, and
their own suites run from a checkout (see [\`conformance/\`](../conformance/README.md)). What no test asks of the engine,
because it does not claim it, is in [not supported, and what you get instead](not-supported.md).

${tables.join('\n\n')}

`;
}

/** What the parts after the first begin with, in the order of the page. */
const HEADINGS = [SDKS_HEADING, RELEASES_HEADING];

/** The parts of a page, the first one before all headings; a part that is not there is empty. */
function partsOf(page: string): string[] {
  const starts = [0, ...HEADINGS.map(heading => page.indexOf(heading))];
  return starts.map((start, index) => {
    const end = starts.slice(index + 1).find(next => next >= 0);
    return start < 0 ? '' : page.slice(start, end);
  });
}

/** The page with one part replaced. All parts together are the page. */
export function withPart(page: string, part: string): string {
  const at = HEADINGS.findIndex(heading => part.startsWith(heading)) + 1;
  return partsOf(page)
    .map((present, index) => (index === at ? part : present))
    .join('');
}
