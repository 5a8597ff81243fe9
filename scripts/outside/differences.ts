/** A value in one line. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** What differs between two JSON values, one line each: the path, the old value, the new one. */
export function differences(before: unknown, after: unknown, path = ''): string[] {
  if (before === after) return [];
  if (Array.isArray(before) && Array.isArray(after) && [...before, ...after].every(item => !isObject(item))) {
    return [
      ...before.filter(item => !after.includes(item)).map(item => `- ${path}: ${shown(item)}`),
      ...after.filter(item => !before.includes(item)).map(item => `+ ${path}: ${shown(item)}`),
    ];
  }
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap(name =>
      differences(before[name], after[name], path === '' ? name : `${path} › ${name}`),
    );
  }
  if (before === undefined) return [`+ ${path}: ${shown(after)}`];
  if (after === undefined) return [`- ${path}: ${shown(before)}`];
  return [`! ${path}: ${shown(before)} → ${shown(after)}`];
}
