/** Where a bullet begins, and the lines that continue it. */
const BULLET = /^- .*(?:\n {2}.*)*/gm;
/** Between two sentences: code and file names hold dots, but none before white space and a capital. */
const SENTENCE_END = /(?<=\.)\s+(?=[A-Z`])/;

/** The text below a heading of a page, up to the next heading of any level. */
export function sectionOf(page: string, heading: string): string {
  const lines = page.split('\n');
  const start = lines.indexOf(heading) + 1;
  if (start === 0) throw new Error(`no heading ${JSON.stringify(heading)}`);
  const end = lines.findIndex((line, i) => i >= start && line.startsWith('#'));
  return lines.slice(start, end < 0 ? undefined : end).join('\n');
}

/** The sentences of a section's bullets, each on one line. */
export function promisesOf(section: string): string[] {
  return [...section.matchAll(BULLET)].flatMap(([bullet]) =>
    bullet.slice('- '.length).replace(/\s+/g, ' ').split(SENTENCE_END),
  );
}

/** The rows of a page's first table, without its head: the cells of each. */
export function rowsOf(page: string): string[][] {
  const lines = page.split('\n');
  const head = lines.findIndex(line => /^\|(?:-+\|)+$/.test(line));
  const rows: string[][] = [];
  for (const line of lines.slice(head + 1)) {
    if (!line.startsWith('|')) break;
    rows.push(
      line
        .slice(1, -1)
        .split(' | ')
        .map(cell => cell.trim()),
    );
  }
  return rows;
}
