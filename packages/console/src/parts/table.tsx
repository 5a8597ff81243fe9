import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { Call } from '../rpc/use-call.ts';
import { Skeleton } from './basics.tsx';
import { Fault } from './fault.tsx';
import { useRowWindow } from './row-window.ts';
import { Box, SortButton, type Sorting, toggled } from './table-controls.tsx';

/** A column of a table: how a row shows it. The first one is the name of the row. */
export interface Column<Row> {
  readonly label: string;
  readonly show: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** It leaves first where there is little room. */
  readonly isSecond?: boolean;
  /** It leaves before those: only a wide screen has it. */
  readonly isThird?: boolean;
  /** The column can be sorted by, under this name in the address. */
  readonly sort?: string;
  /** A narrow screen does not have it. */
  readonly isWide?: boolean;
  /** A card has the cell over its whole width. */
  readonly isFull?: boolean;
}

export interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly sorting?: Sorting;
  readonly isSelected?: (row: Row) => boolean;
  readonly picking?: Picking<Row>;
  /** Rows stay rows on a narrow screen. */
  readonly isDense?: boolean;
}

/** Rows can be picked by a box before them. */
interface Picking<Row> {
  /** Keys of the picked rows. */
  readonly picked: ReadonlySet<string>;
  readonly onPick: (picked: ReadonlySet<string>) => void;
  /** What a row is called. */
  readonly nameOf: (row: Row) => string;
}

function classOf({
  isNumber = false,
  isFull = false,
  isWide = false,
}: {
  readonly isNumber?: boolean;
  readonly isFull?: boolean;
  readonly isWide?: boolean;
}): string | undefined {
  const look = [isNumber && 'num', isFull && 'full', isWide && 'hide-small'].filter(Boolean).join(' ');
  return look === '' ? undefined : look;
}

/** Columns of a lower rank leave first. */
function rankOf({
  isSecond = false,
  isThird = false,
}: {
  readonly isSecond?: boolean;
  readonly isThird?: boolean;
}): string | undefined {
  return isThird ? '3' : isSecond ? '2' : undefined;
}

function ariaSort(
  column: { readonly sort?: string },
  sorting: Sorting | undefined,
): 'ascending' | 'descending' | undefined {
  if (sorting === undefined || column.sort === undefined || sorting.by !== column.sort) return undefined;
  return sorting.isDescending ? 'descending' : 'ascending';
}

/** A table whose rows become cards on a narrow screen. */
export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { caption, columns, rows, keyOf, sorting, isSelected, picking, isDense = false } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const { first, end, before, behind } = useRowWindow(rows.length, body);
  return (
    <div class="tablewrap">
      <table
        class={isDense ? 'table' : 'table cards'}
        aria-rowcount={before + behind > 0 ? rows.length + 1 : undefined}
      >
        <caption>{caption}</caption>
        <thead>
          <tr>
            {picking !== undefined && (
              <th scope="col" class="pick">
                <Box
                  label="Pick all that are shown"
                  isOn={rows.length > 0 && rows.every(row => picking.picked.has(keyOf(row)))}
                  onChange={isOn => picking.onPick(new Set(isOn ? rows.map(keyOf) : []))}
                />
              </th>
            )}
            {columns.map(column => (
              <th
                key={column.label}
                scope="col"
                class={classOf({ ...column, isFull: false })}
                data-p={rankOf(column)}
                aria-sort={ariaSort(column, sorting)}
              >
                {column.label === '' && <span class="sr">Actions</span>}
                {column.sort === undefined || sorting === undefined ? (
                  column.label
                ) : (
                  <SortButton label={column.label} name={column.sort} sorting={sorting} />
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Gap height={before} />
          {rows.slice(first, end).map((row, at) => (
            <tr
              key={keyOf(row)}
              class={isSelected?.(row) ? 'selected' : undefined}
              aria-rowindex={first + at + 2}
            >
              {picking !== undefined && (
                <td class="pick">
                  <Box
                    label={`Pick ${picking.nameOf(row)}`}
                    isOn={picking.picked.has(keyOf(row))}
                    onChange={() => picking.onPick(toggled(picking.picked, keyOf(row)))}
                  />
                </td>
              )}
              {columns.map((column, at) => (
                <Cell key={column.label} column={column} isFirst={at === 0} row={row} />
              ))}
            </tr>
          ))}
          <Gap height={behind} />
        </tbody>
      </table>
    </div>
  );
}

/** The room of rows that are not on the page now. */
function Gap({ height }: { readonly height: number }): JSX.Element | null {
  return height === 0 ? null : <tr class="gap" style={{ height: `${height}px` }} />;
}

function Cell<Row>({
  column,
  isFirst,
  row,
}: {
  column: Column<Row>;
  isFirst: boolean;
  row: Row;
}): JSX.Element {
  const { label, show } = column;
  if (isFirst) return <th scope="row">{show(row)}</th>;
  return (
    <td class={classOf(column)} data-label={label === '' ? undefined : label} data-p={rankOf(column)}>
      {show(row)}
    </td>
  );
}

/** What a call answered, or why it did not, or that it is waited for. */
export function Answer<T>({
  call,
  children,
}: {
  readonly call: Call<T>;
  readonly children: (data: T) => ComponentChildren;
}): JSX.Element {
  const { data, error, reload } = call;
  if (data === undefined && error === undefined) return <Skeleton />;
  return (
    <>
      {error !== undefined && (
        <div class="body faults">
          <Fault error={error} retry={reload} />
        </div>
      )}
      {data !== undefined && <div class={error === undefined ? undefined : 'stale'}>{children(data)}</div>}
    </>
  );
}
