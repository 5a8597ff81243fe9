import { isValidName } from '@msg/core';
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { visible } from '../parts/text.ts';
import { call } from '../rpc/client.ts';
import { addressOf, go } from './address.ts';
import { clock } from './clock.ts';
import { PAGES } from './pages.ts';

export const isPaletteOpen = signal(false);

/** Where the palette can go. */
interface Place {
  readonly group: 'Pages' | 'Channels' | 'Users' | 'Connections';
  readonly label: string;
  readonly address: string;
}

const PER_GROUP = 5;
const TYPING_MS = 200;
const CLIENT = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

function pagesFor(text: string): Place[] {
  const wanted = text.toLowerCase();
  return PAGES.filter(({ label }) => label.toLowerCase().includes(wanted)).map(({ label, name }) => ({
    group: 'Pages',
    label,
    address: addressOf(name),
  }));
}

/** What is certain without a question: an exact name is the first entry. */
function exactFor(text: string): Place[] {
  if (isValidName(text)) return [{ group: 'Channels', label: text, address: addressOf('channels', text) }];
  if (CLIENT.test(text))
    return [{ group: 'Connections', label: text, address: addressOf('connections', text) }];
  return [];
}

async function foundFor(text: string): Promise<Place[]> {
  if (text === '') return [];
  const [channels, users] = await Promise.all([
    call('ListChannels', { query: text.toLowerCase(), limit: PER_GROUP })
      .then(({ channels }) => channels)
      .catch(() => []),
    call('ListUsers', { query: text, limit: PER_GROUP })
      .then(({ users }) => users)
      .catch(() => []),
  ]);
  return [
    ...channels.map(({ name }) => ({
      group: 'Channels' as const,
      label: name,
      address: addressOf('channels', name),
    })),
    ...users.map(({ user }) => ({ group: 'Users' as const, label: user, address: addressOf('users', user) })),
  ];
}

/** Goes to a page, channel, user or connection by its name. */
export function Palette(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [found, setFound] = useState<readonly Place[]>([]);
  const [at, setAt] = useState(0);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    let isCurrent = true;
    const timer = clock.setTimeout(() => {
      void foundFor(text.trim()).then(places => {
        if (isCurrent) setFound(places);
      });
    }, TYPING_MS);
    return () => {
      isCurrent = false;
      clock.clearTimeout(timer);
    };
  }, [text]);
  const exact = exactFor(text.trim());
  const known = new Set(exact.map(({ address }) => address));
  const places = [...exact, ...pagesFor(text.trim()), ...found.filter(({ address }) => !known.has(address))];
  const chosen = Math.min(at, places.length - 1);
  const close = (): void => {
    isPaletteOpen.value = false;
  };
  const take = (place: Place | undefined): void => {
    if (place === undefined) return;
    close();
    go(place.address);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setAt(Math.min(places.length - 1, chosen + 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(0, chosen - 1));
    else if (event.key === 'Enter') take(places[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog class="dialog palette" ref={dialog} aria-label="Go to" onClose={close}>
      <input
        class="input"
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={places[chosen] === undefined ? undefined : `place-${chosen}`}
        aria-label="Page, channel, user or connection"
        placeholder="Page, channel, user or connection"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={event => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-list" role="listbox" aria-label="Places">
        {places.map((place, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys of the list
          <div
            key={place.address}
            id={`place-${index}`}
            class="place"
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => take(place)}
          >
            <span class={place.group === 'Pages' ? 'grow' : 'grow mono wrap'}>{visible(place.label)}</span>
            <span class="mute tiny">{place.group}</span>
          </div>
        ))}
      </div>
      {places.length === 0 && <p class="nothing mute">No match.</p>}
    </dialog>
  );
}
