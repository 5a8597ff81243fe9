import type { Cursor } from './cursor.ts';
import type { ReportBuilder } from './report.ts';

/** One value that a variable may have. */
export interface Option {
  readonly value: string;
  readonly label?: string;
  /** Where the file has the value. */
  readonly cursor?: Cursor;
}

const ALL = '$__all';
/** Value of an interval that fits the step of the query. */
const AUTO = '$__interval';

/** What a variable has as its value: one text, or a list of them. */
export function chosenOf(spec: Cursor): Cursor {
  const current = spec.at('current');
  return current.text === undefined ? current.at('value') : current;
}

/** The values of a variable: those that the file stores, else those that its query lists. */
export function optionsOf(kind: string, spec: Cursor, report: ReportBuilder): Option[] {
  if (kind === 'switch') return switchOptions(spec);
  if (kind === 'textbox' || kind === 'constant') {
    for (const option of spec.at('options').items) report.same(option, 'the default says it');
    return [];
  }
  const stored = storedOptions(spec, report);
  const automatic =
    kind === 'interval' && spec.at('auto').value === true ? [automaticOption(spec, report)] : [];
  if (stored.length > 0) {
    if (kind !== 'query') report.same(spec.at('query'), 'the options say it');
    return [...automatic, ...stored];
  }
  if (kind === 'query') return [];
  const listed = listedOptions(spec.at('query'));
  report.change(spec.at('query'), 'the values are the options of the variable');
  return [...automatic, ...listed];
}

function storedOptions(spec: Cursor, report: ReportBuilder): Option[] {
  const options: Option[] = [];
  for (const option of spec.at('options').items) {
    const cursor = option.at('value');
    const value = cursor.text ?? (cursor.number === undefined ? undefined : String(cursor.number));
    if (value === undefined || value === ALL || value.startsWith('$__auto')) {
      report.same(option, 'an option of its own stands for it');
      continue;
    }
    const label = option.at('text').text;
    report.same(option.at('text'), 'the control shows it');
    report.same(option.at('selected'), 'the default says what is chosen');
    options.push(label === undefined ? { value, cursor } : { value, label, cursor });
  }
  return options;
}

function automaticOption(spec: Cursor, report: ReportBuilder): Option {
  const why = `the option ${AUTO} is the step of the query`;
  for (const name of ['auto', 'auto_count', 'auto_min']) report.change(spec.at(name), why);
  return { value: AUTO, label: 'auto' };
}

function switchOptions(spec: Cursor): Option[] {
  const cursors = [spec.at('enabledValue'), spec.at('disabledValue')];
  return cursors.flatMap(cursor => (cursor.text === undefined ? [] : [{ value: cursor.text, cursor }]));
}

/** `a, b` or `label : value`, where `\,` is a comma of the value. */
function listedOptions(query: Cursor): Option[] {
  const parts: string[] = [''];
  const text = query.text ?? '';
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\' && text[at + 1] === ',') {
      parts.push(`${parts.pop() ?? ''},`);
      at += 1;
    } else if (text[at] === ',') parts.push('');
    else parts.push(`${parts.pop() ?? ''}${text[at] ?? ''}`);
  }
  return parts
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(part => {
      const colon = part.indexOf(' : ');
      if (colon < 0) return { value: part };
      return { value: part.slice(colon + 3).trim(), label: part.slice(0, colon).trim() };
    });
}
