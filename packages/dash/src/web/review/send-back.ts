import { maskedOperations } from '../../changeset/credential-mask.ts';
import { isJsonObject, type Json } from '../../document/json.ts';
import type { Compared } from '../compare/compare.ts';
import { itemIdOf } from '../compare/touched.ts';
import type { ReviewPageParts } from './parts.ts';

/** Characters of operations in the text; an agent has its own changeset. */
const MOST_OPERATIONS = 8_000;

/** What a person pastes for the agent: document, base, comment, marks with code and pointer, operations concerned. */
export function sendBackText({ answer, compared }: ReviewPageParts): string {
  const { id, baseRevision, proposal, comment = '', problem } = answer;
  const marks = compared === undefined ? [] : marksOf(compared);
  const error = problem === undefined || marks.some(({ line }) => line.includes(problem.code));
  const lines = [
    ...(error ? [] : [`- ${problem.code}: ${problem.message}`]),
    ...marks.map(({ line }) => line),
  ];
  const ops = concerned(answer.ops as readonly Json[], compared, new Set(marks.map(mark => mark.id)));
  const text = JSON.stringify(maskedOperations(ops), null, 1);
  return [
    `The proposal ${proposal} for dashboard "${id}" was sent back.`,
    `Base revision: ${baseRevision ?? 'none'}`,
    '',
    'What is to be changed:',
    comment === '' ? '(no comment)' : comment,
    ...(lines.length === 0 ? [] : ['', 'Marked in the review:', ...lines]),
    '',
    'Operations concerned:',
    text.length <= MOST_OPERATIONS ? text : `${text.slice(0, MOST_OPERATIONS)}\n(cut)`,
  ].join('\n');
}

interface Mark {
  readonly id: string;
  readonly line: string;
}

function marksOf({ items, verdicts }: Compared): Mark[] {
  return items.flatMap(({ id }) =>
    (verdicts.get(id) ?? [])
      .filter(({ tone }) => tone !== 'same')
      .map(({ code, title, text }) => ({
        id,
        line: `- /${id}: ${[code, title, text].filter(part => part !== undefined).join(' ')}`,
      })),
  );
}

/** The operations on marked items; without marks, or when none of them is on one, all. */
function concerned(
  ops: readonly Json[],
  compared: Compared | undefined,
  marked: ReadonlySet<string>,
): readonly Json[] {
  const onMarked =
    compared === undefined ? [] : ops.filter(op => itemsOf(op, compared).some(id => marked.has(id)));
  return onMarked.length === 0 ? ops : onMarked;
}

function itemsOf(operation: Json, { documents: { old, current } }: Compared): string[] {
  if (!isJsonObject(operation)) return [];
  return [operation['path'], operation['from']].flatMap(pointer => {
    const id = typeof pointer === 'string' ? (pointer.split('/')[1] ?? '') : '';
    const position = current.find(id) ?? old.find(id);
    return position === undefined ? [] : [itemIdOf(position) ?? id];
  });
}
