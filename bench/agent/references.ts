/** `{{3.details.suggestedPath}}`: a value of an earlier answer, by the number of its step. */
const REFERENCE = /\{\{([^{}]+)\}\}/g;
const WHOLE = /^\{\{([^{}]+)\}\}$/;
const SPREAD = /^\.\.\.\{\{([^{}]+)\}\}$/;

/** A value with its references filled in: a whole text becomes the value, `...{{…}}` in a list its entries. */
export function filled(value: unknown, answers: readonly unknown[]): unknown {
  if (typeof value === 'string') return filledText(value, answers);
  if (Array.isArray(value)) return value.flatMap(item => filledItem(item, answers));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, filled(member, answers)]);
  return Object.fromEntries(members);
}

function filledItem(item: unknown, answers: readonly unknown[]): unknown[] {
  const spread = typeof item === 'string' ? SPREAD.exec(item)?.[1] : undefined;
  if (spread === undefined) return [filled(item, answers)];
  const list = at(answers, spread);
  if (!Array.isArray(list)) throw new Error(`${item} must be a list`);
  return list;
}

function filledText(text: string, answers: readonly unknown[]): unknown {
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined) return at(answers, whole);
  return text.replaceAll(REFERENCE, (_match, path: string) => String(at(answers, path)));
}

function at(answers: readonly unknown[], path: string): unknown {
  let value: unknown = answers;
  for (const name of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[name];
  if (value === undefined) throw new Error(`no answer has ${path}`);
  return value;
}
