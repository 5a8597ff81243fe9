/** Single keys of a page; they are off while a field has the focus (visual language, keyboard). */
export interface PageKeys {
  readonly inspect: () => void;
  readonly refresh: () => void;
  readonly help: () => void;
  readonly close: () => void;
}

/** Follows the keyboard. */
export function followKeys(keys: PageKeys): void {
  document.addEventListener('keydown', event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') keys.close();
    if (isField(event.target)) return;
    const run = { i: keys.inspect, r: keys.refresh, '?': keys.help, '/': focusText }[event.key];
    if (run === undefined) return;
    event.preventDefault();
    run();
  });
}

/** True for an element that takes what is typed. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement ||
  (target instanceof HTMLInputElement && !['checkbox', 'radio', 'range', 'button'].includes(target.type));

function focusText(): void {
  document
    .querySelector<HTMLElement>('main input[type=text], main input[type=search], main textarea')
    ?.focus();
}
