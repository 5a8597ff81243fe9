import type { NodeSurveys, SurveyQuestion, SurveyResult } from '../realtime/node-surveys.ts';
import { docOf, type Hint, HintsSeen, type UndatedHint } from './hints.ts';
import type { NodeReport, OwnNode } from './local.ts';
import { reportsOfProcesses } from './process-report.ts';
import type { NodeRow } from './row.ts';

const REPORT: SurveyQuestion<null, NodeReport> = { operation: 'msg_nodes' };
const MAX_CLOCK_DIFFERENCE_MS = 2000;

const UNTOLD = { limits: [], sinks: [] } as const;

/** All nodes that answered, and what to look at. */
export interface ClusterReport {
  /** By id. */
  readonly nodes: readonly NodeRow[];
  readonly hints: readonly Hint[];
  readonly missing: SurveyResult<unknown>['missing'];
}

/** The nodes of the service, for operators: each answers for itself. */
export class ClusterNodes {
  readonly #surveys: NodeSurveys;
  readonly #now: () => number;
  readonly #seen = new HintsSeen();

  /** @param now the wall clock, Unix milliseconds */
  constructor(node: OwnNode, surveys: NodeSurveys, now: () => number) {
    this.#surveys = surveys;
    this.#now = now;
    surveys.answer(REPORT, () => node.report());
  }

  async report(): Promise<ClusterReport> {
    const { answers, missing } = await this.#surveys.ask(REPORT, null);
    // A node of an earlier version tells neither.
    const complete = Array.from(answers.values(), ({ row, hints }) => ({
      row: { ...UNTOLD, ...row },
      hints,
    }));
    const reports = reportsOfProcesses(complete).toSorted((a, b) => (a.row.id < b.row.id ? -1 : 1));
    const nodes = reports.map(({ row }) => row);
    const compared = [...versionHints(nodes), ...clockHints(nodes), ...missingHints(missing)];
    const ofCluster = this.#seen.dated(compared, this.#now());
    return { nodes, hints: [...reports.flatMap(({ hints }) => hints), ...ofCluster], missing };
  }
}

/** Nodes of several versions: a restart that did not end, or went back. */
function versionHints(nodes: readonly NodeRow[]): readonly UndatedHint[] {
  const versions = new Set(nodes.map(({ version }) => version));
  if (versions.size < 2) return [];
  const name = 'NodeVersionsDiffer';
  return [{ name, severity: 'info', node: '', value: versions.size, threshold: 1, doc: docOf(name) }];
}

/** Nodes whose wall clocks are far from that of the others: they disagree on the ends of tokens. */
function clockHints(nodes: readonly NodeRow[]): readonly UndatedHint[] {
  const name = 'NodeClocksDiffer';
  const threshold = MAX_CLOCK_DIFFERENCE_MS / 1000;
  return nodes
    .filter(({ clock_offset_ms }) => Math.abs(clock_offset_ms) > MAX_CLOCK_DIFFERENCE_MS)
    .map(({ id, clock_offset_ms }) => ({
      name,
      severity: 'warning',
      node: id,
      value: Math.abs(clock_offset_ms) / 1000,
      threshold,
      doc: docOf(name),
    }));
}

function missingHints(missing: ClusterReport['missing']): readonly UndatedHint[] {
  const name = 'NodeMissing';
  return missing.map(({ node }) => ({
    name,
    severity: 'warning',
    node,
    value: 1,
    threshold: 0,
    doc: docOf(name),
  }));
}
