import { defined } from '@msg/foundation/json';
import { anyJson, type Field, flag, optional, required } from '@msg/foundation/shape';
import { changesBetween } from '../changeset/changes.ts';
import { type TriedChangeset, tryChangeset } from '../changeset/pipeline.ts';
import { undoOps } from '../changeset/undo.ts';
import { display } from '../document/display.ts';
import type { Json } from '../document/json.ts';
import type { ProposalRequest } from '../proposals/proposal.ts';
import { changedPreview } from '../reads/changed-preview.ts';
import { warningsOf } from '../reads/warnings/warnings.ts';
import type { ResolvedTree } from '../resolve/tree.ts';
import { missingBeside } from './arguments.ts';
import { oneOf, shortLine } from './fields.ts';
import { FLAG, LIST, OBJECT, TEXT } from './output.ts';
import type { ChangedPicture } from './picture.ts';
import type { QueryFeedback } from './query-feedback.ts';
import { reviewLink } from './review-link.ts';
import { outcomeOf } from './review-outcome.ts';
import {
  type DashTool,
  DOCUMENT_ID,
  dashTool,
  PageRequest,
  PicturedAnswer,
  PREVIEW_APP,
  PREVIEWS,
  type Preview,
  type ToolContext,
} from './tool.ts';
import type { ToolCall } from './tool-call.ts';

const NAME = 'dash_validate_patch';
/** As a proposal takes it. */
const MOST_NOTE = 500;

const OPERATION = {
  type: 'object',
  properties: {
    op: { enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
    path: { type: 'string' },
    from: { type: 'string' },
    value: {},
  },
  required: ['op', 'path'],
};

/** A changeset, which the changeset layer reads. */
const changeset: Field<unknown> = {
  ...anyJson,
  schema: () => ({ type: 'array', items: OPERATION, maxItems: 1000 }),
};

/** `dash_validate_patch`: every step of a commit but the write. */
export const PATCH_TOOL: DashTool = dashTool({
  name: NAME,
  title: 'Try a changeset',
  description: [
    'Try a changeset and see the result, storing nothing.',
    'Send the full cumulative RFC 6902 array each time; paths are /<node id>/… or /$manifest, /$variables,',
    '/$connections, /$theme, /$root. ok: what changes, and baseRevision, which the human passes as expectedRevision.',
    'Not ok: a coded error whose details tell the correction.',
  ].join('\n'),
  takes: {
    id: DOCUMENT_ID,
    ops: required(changeset, 'the whole changeset'),
    create: optional(flag, 'true: a new document; starts as an empty page with root "page"'),
    preview: optional(oneOf(...PREVIEWS, 'rendered'), 'how much of the tree; rendered: HTML for the app'),
    inverse: optional(flag, 'answer the ops that lead back'),
    queries: optional(flag, 'run the queries of touched items'),
    image: optional(flag, 'a PNG of the changed items'),
    review: optional(
      oneOf<boolean | 'wait'>(true, false, 'wait'),
      'true: a link for the human; "wait": and their decision',
    ),
    note: optional(shortLine(MOST_NOTE), 'for the human, with review'),
  },
  outputSchema: {
    type: 'object',
    properties: {
      ...{
        ok: FLAG,
        baseRevision: TEXT,
        changes: LIST,
        changesTruncated: FLAG,
        preview: OBJECT,
      },
      ...{ code: TEXT, message: TEXT, details: OBJECT },
    },
    required: ['ok'],
  },
  page: PREVIEW_APP,
  asksConnections: true,
  answersFailure: true,
  run: async ({ id, ops, create, preview, inverse, queries, image, review, note }, context, call) => {
    if (note !== undefined && !isWanted(review)) throw missingBeside(NAME, 'note', 'review');
    const outcome = review === 'wait' ? await outcomeOf(context.review, id, call) : undefined;
    // The changeset is part of the document by now, so it may not apply a second time.
    if (outcome?.state === 'committed') {
      return { ok: true, ...defined({ baseRevision: outcome.revision }), changes: [], outcome };
    }
    const { store, engine } = context;
    const isCreation = create === true ? ({ create } as const) : {};
    const tried = await tryChangeset({ store, ...engine }, { id, ops, ...isCreation });
    const { before, after, revision } = tried;
    // A changeset that applies is a list of JSON.
    const proposal = { id, ops: ops as Json[], ...isCreation, ...defined({ baseRevision: revision, note }) };
    const feedback = queries === true ? await feedbackOf(tried, context, call) : undefined;
    const warnings = [...(feedback?.warnings ?? []), ...warningsOf(after, tried.tree, engine.types)];
    const link = isWanted(review) ? await linkTo(proposal, review, context, call) : {};
    if (link instanceof PageRequest) return link;
    const picture = image === true ? await pictureOf(tried, context, queries === true, call) : undefined;
    const answer = {
      ok: true,
      ...defined({ baseRevision: revision }),
      ...changesBetween(before, after, engine.types),
      ...defined({
        warnings: warnings.length === 0 ? undefined : warnings,
        queries: feedback?.queries,
        queriesTruncated: feedback?.queriesTruncated,
        inverse: inverse === true ? { ops: undoOps(id, after, before, engine.types).ops } : undefined,
        ...link,
        outcome,
        image: picture?.image,
        ...(await previewOf(preview ?? context.preview ?? 'full', tried, context)),
      }),
    };
    return picture?.png === undefined ? answer : new PicturedAnswer(answer, picture.png);
  },
});

function isWanted(review: boolean | 'wait' | undefined): review is true | 'wait' {
  return review === true || review === 'wait';
}

/** What the connections answer; what asks them is loaded where it is wanted. */
async function feedbackOf(
  tried: TriedChangeset<ResolvedTree>,
  { engine, queries }: ToolContext,
  { signal }: ToolCall,
): Promise<QueryFeedback> {
  const { queryFeedback } = await import('./query-feedback.ts');
  return queryFeedback(tried, engine, queries?.sources, signal);
}

/** The changed items as a PNG; what draws is loaded where it is wanted. */
async function pictureOf(
  tried: TriedChangeset<ResolvedTree>,
  context: ToolContext,
  asksAll: boolean,
  { signal }: ToolCall,
): Promise<ChangedPicture> {
  const { changedPicture } = await import('./picture.ts');
  return changedPicture(tried, context, { asksAll, signal });
}

/** The link for the human; where the host can open it and the call waits, the request to do so. */
async function linkTo(
  request: ProposalRequest,
  review: true | 'wait',
  context: ToolContext,
  { proposer, opensUrls, answer, signal }: ToolCall,
): Promise<{ readonly reviewUrl?: string; readonly reviewHint?: string } | PageRequest> {
  if (request.ops.length === 0) return {};
  const proposed = { ...request, ...defined({ proposer }) };
  const handOver = review === 'wait';
  const { reviewUrl, reviewHint, proposal } = await reviewLink(context.review, proposed, {
    handOver,
    signal,
  });
  const asks = handOver && opensUrls && answer === undefined;
  if (!asks || reviewUrl === undefined || proposal === undefined) return defined({ reviewUrl, reviewHint });
  const message = `Review the proposed change of dashboard "${display(request.id)}".`;
  return new PageRequest(reviewUrl, message, proposal);
}

/** What the answer shows of the result. */
async function previewOf(
  preview: Preview | 'rendered',
  tried: TriedChangeset<ResolvedTree>,
  context: ToolContext,
): Promise<object> {
  if (preview === 'full') return { preview: tried.tree };
  if (preview === 'changed') return { preview: changedPreview(tried, context.engine) };
  if (preview === 'none') return {};
  // What draws is loaded by a host with the app alone.
  const { renderedItems } = await import('./rendered.ts');
  return renderedItems(tried, context);
}
