/** The sections of a report by name. */
function sectionsOf(text: string): ReadonlyMap<string, string> {
  const [, ...sections] = text.split(/^## /m);
  return new Map(
    sections.map(section => {
      const end = section.indexOf('\n');
      return [section.slice(0, end), section.slice(end).trim()];
    }),
  );
}

/** Names of committed reports that are gone, new or declared otherwise, one line each. */
export function reportFaults(
  committed: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): string[] {
  return [...new Set([...committed.keys(), ...found.keys()])].flatMap(path => {
    const before = sectionsOf(committed.get(path) ?? '');
    const after = sectionsOf(found.get(path) ?? '');
    return [...new Set([...before.keys(), ...after.keys()])].flatMap(name => {
      if (before.get(name) === after.get(name)) return [];
      const change = !before.has(name) ? 'is new' : !after.has(name) ? 'is gone' : 'is declared otherwise';
      return [`${path}: ${name} ${change}`];
    });
  });
}
