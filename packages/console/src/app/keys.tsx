import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { Dialog } from '../parts/act.tsx';
import { addressOf, go } from './address.ts';
import { clock } from './clock.ts';
import { PAGES } from './pages.ts';
import { isPaletteOpen } from './palette.tsx';

export const isKeyListOpen = signal(false);

const OFF = 'msg-console-keys';
/** Single keys can be turned off: speech input types them. */
const isOff = signal(localStorage.getItem(OFF) === 'off');
/** How long the second key of `g` is waited for. */
const SECOND_KEY_MS = 1500;

function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Focuses the row after, or before, the one that has the focus. */
function moveRow(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('#content tbody th :is(a, button)')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
}

/** Focuses the first action of the row that has the focus; of the first row with actions when none has it. */
function focusRowActions(): void {
  const row =
    document.activeElement?.closest('#content tbody tr') ??
    document.querySelector('#content tbody tr:has(td button)');
  row?.querySelector<HTMLElement>('td button')?.focus();
}

/** Follows the keys of the console until the returned function is called. */
export function followKeys(): () => void {
  let goneAt = Number.NEGATIVE_INFINITY;
  const onKeyDown = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      isPaletteOpen.value = true;
      return;
    }
    const isModified = event.ctrlKey || event.metaKey || event.altKey;
    if (isOff.value || isModified || isTyping(event) || document.querySelector('dialog[open]') !== null)
      return;
    if (clock.monotonic() - goneAt < SECOND_KEY_MS) {
      goneAt = Number.NEGATIVE_INFINITY;
      const page = PAGES.find(({ key }) => key === event.key);
      if (page !== undefined) go(addressOf(page.name));
      return;
    }
    if (event.key === 'g') goneAt = clock.monotonic();
    else if (event.key === '?') isKeyListOpen.value = true;
    else if (event.key === 'j') moveRow(1);
    else if (event.key === 'k') moveRow(-1);
    else if (event.key === '.') focusRowActions();
    else if (event.key === ' ' && document.activeElement?.closest('button, a, summary') === null) {
      event.preventDefault();
      document.querySelector<HTMLElement>('#content [data-pause]')?.click();
    } else if (event.key === '/') {
      event.preventDefault();
      document.querySelector<HTMLElement>('#content [data-filter]')?.focus();
    }
  };
  addEventListener('keydown', onKeyDown);
  return () => removeEventListener('keydown', onKeyDown);
}

/** The list of keys. */
export function KeyList(): JSX.Element {
  const close = (): void => {
    isKeyListOpen.value = false;
  };
  const rows: readonly (readonly [keys: readonly string[], what: string])[] = [
    [['Ctrl', 'K'], 'Go to a page, channel, user or connection'],
    [['/'], 'Filter of the page'],
    [['j'], 'Next row'],
    [['k'], 'Previous row'],
    [['.'], 'Actions of the row'],
    [['Space'], 'Pause or resume the tail'],
    ...PAGES.flatMap(({ key, label }) => (key === undefined ? [] : [[['g', key], label] as const])),
    [['?'], 'This list'],
  ];
  return (
    <Dialog
      title="Keys"
      onClose={close}
      footer={
        <button class="btn primary" type="button" onClick={close}>
          Close
        </button>
      }
    >
      <dl class="facts rows">
        {rows.map(([keys, what]) => (
          <>
            <dt>
              {keys.map(key => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <label class="line tight fixed">
        <input
          type="checkbox"
          checked={!isOff.value}
          onChange={event => {
            isOff.value = !event.currentTarget.checked;
            localStorage.setItem(OFF, isOff.value ? 'off' : 'on');
          }}
        />
        Single keys are on
      </label>
    </Dialog>
  );
}
