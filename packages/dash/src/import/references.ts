/** Places of Grafana variables that the queries of dash fill in themselves. */
const OF_QUERIES = new Set([
  '__interval',
  '__interval_ms',
  '__rate_interval',
  '__range',
  '__range_s',
  '__range_ms',
]);
/** Forms of a value that need their own quotes. */
const QUOTES: ReadonlyMap<string, string> = new Map([
  ['singlequote', "'"],
  ['sqlstring', "'"],
  ['doublequote', '"'],
]);
/** Forms that give the same text for one value. */
const SAME_TEXT: ReadonlySet<string> = new Set(['', 'regex', 'pipe', 'raw', 'text', 'glob', 'csv']);
/** `${v}`, `${v:form}`, `${v.member}`, `[[v]]`, `[[v:form]]`, `$v`. */
const REFERENCE = /\$\{([^{}]*)\}|\[\[(\w+)(?::(\w+))?\]\]|\$(\w+)/g;

/** A text of the file as a document writes it. */
export interface RewrittenText {
  readonly text: string;
  /** Names that the file does not declare, in order. */
  readonly unknown: readonly string[];
  /** Forms of values that dash does not have. */
  readonly forms: readonly string[];
}

/** A reference to a variable in a text. */
interface Reference {
  readonly name: string;
  readonly form: string;
  readonly member: string;
}

/** The names of the variables of a document, by the names that the file has for them. */
export type VariableNames = ReadonlyMap<string, string>;

/**
 * Rewrites the references to variables in a text of the file: what dash would read as a reference of its own stays text.
 * @param isQuery true for a text in which `$__interval` and its kin have a meaning.
 */
export function rewriteText(text: string, names: VariableNames, isQuery: boolean): RewrittenText {
  const unknown: string[] = [];
  const forms: string[] = [];
  let rewritten = '';
  let end = 0;
  for (const match of text.matchAll(REFERENCE)) {
    rewritten += literal(text.slice(end, match.index));
    end = match.index + match[0].length;
    const reference = readReference(match);
    const name = names.get(reference.name);
    if (name !== undefined) {
      if (!SAME_TEXT.has(reference.form) && !QUOTES.has(reference.form)) forms.push(reference.form);
      if (reference.member !== '') forms.push(reference.member);
      const quote = QUOTES.get(reference.form) ?? '';
      // A "$" right before a reference would escape it.
      const gap = quote === '' && rewritten.endsWith('$') ? ' ' : '';
      rewritten += `${gap}${quote}\${${name}}${quote}`;
    } else if (isQuery && OF_QUERIES.has(reference.name)) {
      rewritten += `$${reference.name}`;
    } else {
      if (!/^\d*$/.test(reference.name)) unknown.push(reference.name);
      rewritten += literal(match[0]);
    }
  }
  return { text: rewritten + literal(text.slice(end)), unknown, forms };
}

/** The names of all variables that a text refers to. */
export function referencesIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map(match => readReference(match).name);
}

/** Text of a config in which dash finds no reference. */
export const literal = (text: string): string => text.split('${').join('$${');

function readReference([, braced, squared, form, plain]: RegExpMatchArray): Reference {
  if (braced !== undefined) return readBraces(braced);
  return { name: squared ?? plain ?? '', form: form ?? '', member: '' };
}

function readBraces(inner: string): Reference {
  const colon = inner.indexOf(':');
  const left = colon < 0 ? inner : inner.slice(0, colon);
  const dot = left.indexOf('.');
  return {
    name: (dot < 0 ? left : left.slice(0, dot)).trim(),
    form: colon < 0 ? '' : inner.slice(colon + 1),
    member: dot < 0 ? '' : left.slice(dot + 1),
  };
}
