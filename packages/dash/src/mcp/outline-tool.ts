import { defined } from '@msg/foundation/json';
import { flag, optional, text } from '@msg/foundation/shape';
import { changesBetween } from '../changeset/changes.ts';
import { undoOps } from '../changeset/undo.ts';
import { allUsesOf } from '../changeset/uses.ts';
import { DashError } from '../errors.ts';
import { historyWithWords, versionAt } from '../reads/changes.ts';
import { getOutline } from '../reads/outline.ts';
import { dashTrailers } from '../store/commit-message.ts';
import { missingBeside } from './arguments.ts';
import { LONGEST_NAME, shortLine, wholeNumber } from './fields.ts';
import { load } from './load.ts';
import { OBJECT, objectOf, TEXT } from './output.ts';
import { AT, type DashTool, DOCUMENT_ID, dashTool, type ToolContext } from './tool.ts';

const NAME = 'dash_get_outline';
const MOST_COMMITS = 50;
const MOST_WORDS = 5;
const MOST_USES = 200;
const MOST_PROPOSALS = 20;

/** `dash_get_outline`: structure, and what there is to know about earlier states, uses and proposals. */
export const OUTLINE_TOOL: DashTool = dashTool({
  name: NAME,
  title: 'Outline a dashboard',
  description: [
    'Show the nodes of a dashboard, without their configs.',
    'Plan structural edits from it, and note the revision. problem: the stored document does not resolve.',
  ].join('\n'),
  takes: {
    id: DOCUMENT_ID,
    at: AT,
    history: optional(wholeNumber(1, MOST_COMMITS), 'so many newest commits'),
    since: optional(text, 'a revision: what changed after it'),
    undo: optional(flag, 'with since: ops that lead back to it'),
    references: optional(shortLine(LONGEST_NAME), 'every use of this variable, connection or node'),
    proposals: optional(flag, 'what became of proposals'),
  },
  outputSchema: objectOf({ id: TEXT, document: OBJECT, root: OBJECT }, { revision: TEXT, problem: OBJECT }),
  run: async ({ id, at, history, since, undo, references, proposals }, context) => {
    if (undo === true && since === undefined) throw missingBeside(NAME, 'undo', 'since');
    const { stored, revision } = await load(id, context, at);
    const { document } = stored;
    const { store, engine } = context;
    const former = since === undefined ? undefined : await versionAt(store, id, since);
    const undone =
      undo === true && former !== undefined ? undoOps(id, document, former, engine.types) : undefined;
    const between = former && changesBetween(former, document, engine.types);
    const uses = references === undefined ? undefined : allUsesOf(document, engine.types, references);
    return defined({
      ...getOutline(id, document, engine, revision),
      ...between,
      undoOps: undone?.ops,
      kept: undone?.kept.length === 0 ? undefined : undone?.kept,
      history: history === undefined ? undefined : await commits(context, id, history),
      references: uses?.slice(0, MOST_USES),
      ...(await proposalsOf(context, id, proposals)),
    });
  },
});

/** The newest commits with their words, and with the trailers that name the proposal. */
async function commits({ store, engine }: ToolContext, id: string, limit: number): Promise<object[]> {
  const entries = await historyWithWords(store, engine.types, id, { limit }).catch(noCommits);
  return entries.map(({ revision, message, timestamp, words, gone }) => {
    const trailers = dashTrailers(message);
    return defined({
      revision,
      timestamp,
      subject: message.split('\n')[0]?.slice(0, 200),
      words: words?.slice(0, MOST_WORDS),
      proposal: trailers.get('Dash-Proposal'),
      proposedBy: trailers.get('Dash-Proposed-By'),
      gone,
    });
  });
}

/** A document that was read, but has no commit yet, has an empty history. */
function noCommits(error: unknown): [] {
  if (error instanceof DashError && error.code === 'STORAGE_NOT_FOUND') return [];
  throw error;
}

/** The state and the comment of each proposal of a document; when `dashdoc serve` does not answer, the reason instead. */
async function proposalsOf({ review }: ToolContext, id: string, areWanted = false): Promise<object> {
  if (!areWanted) return {};
  if (review === undefined) return { reviewHint: 'start dashdoc mcp with --review-url to see proposals' };
  const answer = await review.ask({ path: `/api/proposals?id=${encodeURIComponent(id)}` });
  if ('failure' in answer) return { reviewHint: answer.failure };
  const { proposals } = answer.body;
  return { proposals: Array.isArray(proposals) ? proposals.slice(0, MOST_PROPOSALS) : [] };
}
