import { isRecord } from './host.ts';

/** A piece of a sentence; `was` and `is` are the words that differ. */
interface Part {
  readonly text: string;
  readonly mark?: 'was' | 'is';
}

export interface Sentence {
  readonly kind: string;
  /** The item that it is about, where that is drawn below. */
  readonly item?: string;
  readonly parts: readonly Part[];
}

export interface Mark {
  readonly tone: string;
  readonly short: string;
  readonly title: string;
  readonly text?: string;
  readonly code?: string;
}

/** One drawn item, as `preview: "rendered"` answers it. */
export interface Item {
  readonly nodeId: string;
  readonly name: string;
  readonly kind: string;
  readonly about: string;
  readonly marks: readonly Mark[];
  readonly grids?: string;
  readonly before?: string;
  readonly after?: string;
  readonly cut?: boolean;
}

/** What the page knows of a changeset: from the answer that the model got, and from the drawings. */
export interface Answer {
  readonly ok: boolean;
  readonly baseRevision: string | undefined;
  readonly reviewUrl: string | undefined;
  readonly reviewHint: string | undefined;
  /** What became of it: `committed`, `returned`, `open`, `declined`. */
  readonly outcome: string | undefined;
  readonly error: { readonly code: string; readonly message: string } | undefined;
  readonly counts: string | undefined;
  readonly words: readonly Sentence[];
  readonly items: readonly Item[] | undefined;
  /** The changed items as a picture, where the model asked for one. */
  readonly picture: string | undefined;
  readonly rules: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the result of a call: its data, or the text that spells them where a host drops the data. */
export function readAnswer(result: Fields | undefined): Answer | undefined {
  const data = dataOf(result);
  if (data === undefined) return undefined;
  const { outcome, words, rendered } = data;
  const ok = data['ok'] === true;
  const code = textIn(data, 'code') ?? 'MCP_INTERNAL';
  return {
    ok,
    baseRevision: textIn(data, 'baseRevision'),
    reviewUrl: textIn(data, 'reviewUrl'),
    reviewHint: textIn(data, 'reviewHint'),
    outcome: isRecord(outcome) ? textIn(outcome, 'state') : undefined,
    error: ok ? undefined : { code, message: textIn(data, 'message') ?? '' },
    counts: textIn(data, 'counts'),
    words: Array.isArray(words) ? (words as Sentence[]) : wordsOf(data['changes']),
    items: Array.isArray(rendered) ? (rendered as Item[]) : undefined,
    picture: pictureOf(result),
    rules: textIn(data, 'rules') ?? '',
  };
}

function dataOf(result: Fields | undefined): Fields | undefined {
  const { structuredContent, content } = result ?? {};
  if (isRecord(structuredContent)) return structuredContent;
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  const text = isRecord(first) ? textIn(first, 'text') : undefined;
  try {
    const spelt: unknown = JSON.parse(text ?? '');
    return isRecord(spelt) ? spelt : undefined;
  } catch {
    return undefined;
  }
}

/** The PNG that stands behind the text of an answer, as an address of its own. */
function pictureOf(result: Fields | undefined): string | undefined {
  const { content } = result ?? {};
  const image: unknown = Array.isArray(content)
    ? content.find(part => isRecord(part) && part['mimeType'] === 'image/png')
    : undefined;
  const data = isRecord(image) ? textIn(image, 'data') : undefined;
  return data === undefined || !/^[A-Za-z0-9+/]+=*$/.test(data) ? undefined : `data:image/png;base64,${data}`;
}

function textIn(data: Fields, member: string): string | undefined {
  const value = data[member];
  return typeof value === 'string' ? value : undefined;
}

/** Sentences of the changes that every answer lists, where there are no drawings. */
function wordsOf(changes: unknown): Sentence[] {
  return (Array.isArray(changes) ? changes : []).filter(isRecord).map(change => {
    const { nodeId, title, field, from, to } = change;
    const kind = textIn(change, 'kind') ?? 'changed';
    const name = `“${String(title ?? nodeId)}”`;
    const subject = field === undefined ? name : `${String(field)} of ${name}`;
    const verb = `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)} ${subject}`;
    if (kind !== 'changed' && kind !== 'moved') return { kind, parts: [{ text: verb }] };
    const was: Part = { text: shown(from), mark: 'was' };
    const is: Part = { text: shown(to), mark: 'is' };
    return { kind, parts: [{ text: `${verb}: ` }, was, { text: ' → ' }, is] };
  });
}

const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);
