import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { query, setQuery } from '../app/address.ts';
import { clock } from '../app/clock.ts';
import { Icon } from './icon.tsx';
import { visible } from './text.ts';

const TYPING_MS = 300;

/** A filter of a list. Its value is a member of the address. */
export interface Filter {
  /** The member of the address. */
  readonly name: string;
  readonly label: string;
  /** The first words of its chip, such as `state =`. A choice without them changes the view and gets no chip. */
  readonly chip?: string;
  /** What can be chosen, the default with the empty value first. Without choices the filter is a text. */
  readonly choices?: readonly (readonly [value: string, label: string])[];
}

/** The values of filters in the address; an empty one is not set. */
export function valuesOf<const Filters extends readonly Filter[]>(
  filters: Filters,
): Readonly<Record<Filters[number]['name'], string>> {
  const values = filters.map(({ name }) => [name, query.value.get(name) ?? '']);
  return Object.fromEntries(values) as Record<Filters[number]['name'], string>; // one for each filter
}

/** Filters that are set as flags of a command. */
export function flagsOf(filter: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(filter).flatMap(([flag, value]) => (value === '' ? [] : [`--${flag}`, value]));
}

/** The filters above a list: texts, what is set, choices. */
export function FilterBar({ filters }: { readonly filters: readonly Filter[] }): JSX.Element {
  const set = filters.filter(({ name, chip }) => chip !== undefined && query.value.has(name));
  const clear = (): void =>
    setQuery(Object.fromEntries([...set.map(({ name }) => name), 'cursor'].map(name => [name, ''])));
  return (
    <div class="filters">
      {filters.map(({ name, label, choices }) =>
        choices === undefined ? <SearchField key={name} name={name} label={label} /> : null,
      )}
      {set.map(filter => (
        <Chip key={filter.name} filter={filter} />
      ))}
      {filters.map(({ name, label, choices }) =>
        choices === undefined ? null : <SelectField key={name} name={name} label={label} choices={choices} />,
      )}
      {set.length > 1 && (
        <button class="btn quiet" type="button" onClick={clear}>
          Clear filters
        </button>
      )}
    </div>
  );
}

/** A filter that is set, as a sentence, and a button that removes it. */
function Chip({ filter: { name, chip, label, choices } }: { readonly filter: Filter }): JSX.Element {
  const value = query.value.get(name) ?? '';
  const shown = choices?.find(([choice]) => choice === value)?.[1] ?? value;
  return (
    <span class="chip wrap">
      {`${chip} ${visible(shown)}`}
      <button
        type="button"
        aria-label={`Remove the filter ${label}`}
        onClick={() => setQuery({ [name]: '', cursor: '' })}
      >
        <Icon name="x" />
      </button>
    </span>
  );
}

/** A field whose text is a member of the address while it is typed. */
export function SearchField({ name, label }: { readonly name: string; readonly label: string }): JSX.Element {
  const inAddress = query.value.get(name) ?? '';
  const [text, setText] = useState(inAddress);
  const sent = useRef(inAddress);
  useEffect(() => {
    // The address changed elsewhere: a link, Back, "Clear filters".
    if (inAddress !== sent.current) setText(inAddress);
    sent.current = inAddress;
  }, [inAddress]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = clock.setTimeout(() => {
      sent.current = text;
      setQuery({ [name]: text, cursor: '' });
    }, TYPING_MS);
    return () => clock.clearTimeout(timer);
  }, [text, name]);
  return (
    <div class="searchbox">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        autocomplete="off"
        spellcheck={false}
        placeholder={label}
        aria-label={label}
        data-filter
        value={text}
        onInput={event => setText(event.currentTarget.value)}
      />
    </div>
  );
}

/** A choice that is a member of the address. */
function SelectField({
  name,
  label,
  choices,
}: {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
}): JSX.Element {
  return (
    <select
      class="select"
      aria-label={label}
      value={query.value.get(name) ?? ''}
      onChange={event => setQuery({ [name]: event.currentTarget.value, cursor: '' })}
    >
      {choices.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
