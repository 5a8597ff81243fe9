import { defined } from '@msg/foundation/json';
import { anyJson, flag, object, optional, required, text, textThat } from '@msg/foundation/shape';
import { requireExactNumbers, tooDeep } from '../changeset/parse.ts';
import type { CommitRequest } from '../changeset/pipeline.ts';
import type { JsonObject } from '../document/json.ts';
import { MAX_NESTING, textNestsDeeper } from '../document/nesting.ts';
import { isCommitSubject, SUBJECT_RULE } from '../store/commit-subject.ts';
import { readObject, readShape, textOf } from './body.ts';
import { RequestError } from './request-error.ts';

const ID = required(
  textThat('a non-empty text', id => id !== '', { minLength: 1 }),
  'id of the document',
);

/** The body of a commit or a dry run. The pipeline checks `ops`. */
const PATCH = object({
  id: ID,
  ops: optional(anyJson, 'the whole changeset'),
  expectedRevision: optional(text, 'only onto this revision'),
  message: optional(textThat(SUBJECT_RULE, isCommitSubject, {}), 'subject of the commit'),
  create: optional(flag, 'the document does not exist yet'),
  proposal: optional(text, 'the proposal that this commits'),
  inverse: optional(flag, 'answer the changeset that leads back'),
  result: optional(
    textThat('"none"', value => value === 'none', {}),
    'leave the tree out of the answer',
  ),
});

const DELETION = object({ id: ID, expectedRevision: required(text, 'the state that is deleted') });

/** A commit or a dry run with what the answer is to be. */
export interface PatchBody {
  readonly commit: CommitRequest;
  readonly proposal?: string;
  readonly result?: string;
}

/**
 * Everything but `ops` is checked strictly, because a misspelt or lost precondition must not become a write without one
 * (dashboard details 15.2).
 * @throws RequestError 400; DashError PATCH_INVALID for a number that a double cannot hold and for too deep nesting.
 */
export function readPatchBody(body: Uint8Array): PatchBody {
  const json = textOf(body);
  if (textNestsDeeper(json, MAX_NESTING + 1)) throw tooDeep();
  const { proposal, result, create, inverse, ops, ...request } = readShape(PATCH, readObject(json));
  requireExactNumbers(json);
  if (create === true && request.expectedRevision !== undefined) {
    throw new RequestError(
      400,
      'expectedRevision beside create is not allowed: a new document has no revision.',
    );
  }
  const isTrue = (value: boolean | undefined): true | undefined => (value === true ? true : undefined);
  const commit = { ops, ...defined({ ...request, create: isTrue(create), inverse: isTrue(inverse) }) };
  return defined({ commit, proposal, result });
}

/** The body of a deletion. @throws RequestError 400. */
export function readDeletion(body: JsonObject): { readonly id: string; readonly expectedRevision: string } {
  return readShape(DELETION, body);
}
