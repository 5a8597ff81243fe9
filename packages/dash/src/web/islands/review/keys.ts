import { isField } from '../keys.ts';
import type { Deciding } from './deciding.ts';
import type { Reading } from './reading.ts';

/** Follows the keyboard of a review; single keys are off while a field has the focus. */
export function followReviewKeys(reading: Reading, deciding: Deciding | undefined): void {
  const keys: Readonly<Record<string, (() => void) | undefined>> = {
    j: () => reading.step(1),
    k: () => reading.step(-1),
    v: () => reading.nextView(),
    w: () => reading.otherForm(),
    c: deciding && (() => deciding.toSubject()),
    r: deciding && (() => deciding.sendBack()),
    '?': () => (document.getElementById('keys') as HTMLDialogElement | null)?.showModal(),
  };
  document.addEventListener('keydown', event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isField(event.target) || document.querySelector('dialog[open]') !== null) return;
    const run = keys[event.key];
    if (run === undefined) return;
    event.preventDefault();
    run();
  });
}
