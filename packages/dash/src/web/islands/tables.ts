const collator = new Intl.Collator(undefined, { numeric: true });

/** Makes the headers of a table sort its rows: ascending, descending, and as stored. */
export function enhanceTable(item: Element): void {
  for (const table of item.querySelectorAll<HTMLTableElement>('table.table')) {
    const rows = [...(table.tBodies[0]?.rows ?? [])];
    const headers = [...(table.tHead?.rows[0]?.cells ?? [])];
    if (rows.length < 2) continue;
    for (const [column, header] of headers.entries()) addSort(table, rows, headers, header, column);
  }
}

function addSort(
  table: HTMLTableElement,
  rows: readonly HTMLTableRowElement[],
  headers: readonly HTMLTableCellElement[],
  header: HTMLTableCellElement,
  column: number,
): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'sortbtn';
  button.append(...header.childNodes);
  header.append(button);
  button.addEventListener('click', () => {
    const before = header.getAttribute('aria-sort');
    const order = before === null ? 'ascending' : before === 'ascending' ? 'descending' : undefined;
    for (const other of headers) other.removeAttribute('aria-sort');
    if (order !== undefined) header.setAttribute('aria-sort', order);
    table.tBodies[0]?.append(...(order === undefined ? rows : sorted(rows, column, order)));
  });
}

function sorted(
  rows: readonly HTMLTableRowElement[],
  column: number,
  order: 'ascending' | 'descending',
): HTMLTableRowElement[] {
  const sign = order === 'ascending' ? 1 : -1;
  const keyed = rows.map(row => ({ row, text: row.cells[column]?.textContent ?? '' }));
  const isNumbers = rows.some(row => row.cells[column]?.classList.contains('num'));
  const compare = (a: string, b: string): number =>
    isNumbers ? numberOf(a) - numberOf(b) : collator.compare(a, b);
  return keyed.toSorted((a, b) => sign * compare(a.text, b.text)).map(({ row }) => row);
}

/** An empty cell stands before all numbers. */
const numberOf = (text: string): number => (text === '' ? Number.MIN_SAFE_INTEGER : Number(text));
