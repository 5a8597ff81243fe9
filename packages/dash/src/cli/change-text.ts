import type { Change, ChangeSummary } from '../changeset/changes.ts';
import type { Json } from '../document/json.ts';

/** The semantic summary as lines for people, one per change. */
export function summaryText({ changes, changesTruncated }: ChangeSummary): string {
  if (changes.length === 0) return 'no changes\n';
  const lines = changes.map(changeText);
  return `${[...lines, ...(changesTruncated === true ? ['… and more'] : [])].join('\n')}\n`;
}

function changeText({ kind, nodeId, title, field, from, to }: Change): string {
  const where = field === undefined ? nodeId : `${nodeId} ${field}`;
  const named = title === undefined ? where : `${where} (${title})`;
  const values = [from, to].filter(value => value !== undefined).map(valueText);
  return `${MARKS[kind]} ${named}${values.length === 0 ? '' : `: ${values.join(' -> ')}`}`;
}

const MARKS: Readonly<Record<Change['kind'], string>> = {
  added: '+',
  removed: '-',
  moved: '>',
  changed: '~',
};

function valueText(value: Json): string {
  return JSON.stringify(value);
}
