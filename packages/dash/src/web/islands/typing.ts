import { systemClock, type TimerHandle } from '@msg/foundation/clock';
import { isSetting, isTyped, settingOf, settingsForms, write } from './settings.ts';

/** How long after the last key a text is applied. */
const TYPED_MS = 300;

/**
 * Follows the controls of the page: what a person sets goes into the address, one step of the history for each committed
 * change, and is applied.
 */
export function followControls(apply: () => void): void {
  let timer: TimerHandle | undefined;
  /** Address that is being typed into and has its step of the history already. */
  let open: string | undefined;
  const set = (target: EventTarget | null): void => {
    if (timer !== undefined) systemClock.clearTimeout(timer);
    timer = undefined;
    if (!isSetting(target)) return;
    write(target.name, settingOf(target), open === target.name ? 'replace' : 'push');
    open = target.name;
    apply();
  };
  document.addEventListener('input', ({ target }) => {
    if (!isSetting(target) || !isTyped(target)) return;
    if (timer !== undefined) systemClock.clearTimeout(timer);
    showValue(target);
    timer = systemClock.setTimeout(() => set(target), TYPED_MS);
  });
  document.addEventListener('change', ({ target }) => {
    set(target);
    open = undefined;
  });
  for (const form of settingsForms()) form.addEventListener('submit', event => event.preventDefault());
}

/** The number beside a slider. */
function showValue(control: Element): void {
  const output = control.parentElement?.querySelector('output');
  if (control instanceof HTMLInputElement && output) output.value = control.value;
}
