import type { TestResult } from '../suites/suite.ts';
import type { ServerSdk } from './sdk.ts';
import { type SdkTopology, TOPOLOGIES } from './service.ts';

/** One SDK: what passed where, or why it was not run. */
export interface SdkRow {
  readonly sdk: Pick<ServerSdk, 'title' | 'how' | 'leftOut'>;
  /** Empty: it was run. */
  readonly notRun: string;
  readonly results: ReadonlyMap<SdkTopology, readonly TestResult[]>;
}

export const SDKS_HEADING = '## Server SDKs';

function cell(results: readonly TestResult[] | undefined): string {
  if (results === undefined) return '–';
  const passed = results.filter(({ outcome }) => outcome === 'passed').length;
  return passed === results.length ? String(passed) : `${passed} of ${results.length}`;
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** The line of an SDK in the table. */
export function sdkLine({ sdk: { title, how, leftOut }, notRun, results }: SdkRow): string {
  const cells =
    notRun === ''
      ? TOPOLOGIES.map(topology => cell(results.get(topology)))
      : [`not run: ${notRun}`, ...TOPOLOGIES.slice(1).map(() => '')];
  return line([title, how, ...cells, leftOut === '' ? 'nothing' : leftOut]);
}

/** The part of the documentation's page about server SDKs, from a run of all of them. */
export function sdksPart(rows: readonly SdkRow[]): string {
  const head = [
    line(['SDK', 'Cases', ...TOPOLOGIES, 'Left out']),
    line(['---', '---', ...TOPOLOGIES.map(() => '---'), '---']),
  ];
  return `${SDKS_HEADING}

Written by \`npm run conformance -- server-sdks --write\`. The published SDKs of backends, unmodified, against the HTTP API of
\`msg serve\` with \`open_channels: auto\` and \`bare_names\`: how many of their cases pass. A transcript is sent by a program in
the SDK's language with that language's own HTTP stack: the headers and bodies that the SDK sends, the answer read as strictly
as it does.

${[...head, ...rows.map(sdkLine)].join('\n')}

`;
}
