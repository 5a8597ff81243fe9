import type { JSX } from 'preact';
import { setQuery } from '../app/address.ts';
import { Icon } from './icon.tsx';

/** What a table is sorted by. */
export interface Sorting {
  readonly by: string;
  readonly isDescending: boolean;
  /** The direction in which a column is sorted first. */
  readonly first?: 'ascending' | 'descending';
}

/** The keys with another one, or without it. */
export function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const others = new Set(keys);
  if (!others.delete(key)) others.add(key);
  return others;
}

/** A box that picks one row, or all. */
export function Box({
  label,
  isOn,
  onChange,
}: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}): JSX.Element {
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={isOn}
      onChange={event => onChange(event.currentTarget.checked)}
    />
  );
}

/** Sorts by a column, then the other way round. */
export function SortButton({
  label,
  name,
  sorting,
}: {
  label: string;
  name: string;
  sorting: Sorting;
}): JSX.Element {
  const isSorted = sorting.by === name;
  const isDescending = isSorted ? !sorting.isDescending : sorting.first !== 'ascending';
  return (
    <button
      class="sortbtn"
      type="button"
      onClick={() => setQuery({ sort: name, order: isDescending ? 'down' : 'up', cursor: '' })}
    >
      {label}
      {isSorted && (
        <span class={sorting.isDescending ? undefined : 'turned'}>
          <Icon name="down" />
        </span>
      )}
    </button>
  );
}
