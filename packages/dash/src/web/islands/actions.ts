import { systemClock } from '@msg/foundation/clock';
import { toggleSeries } from './legend.ts';
import { reset } from './settings.ts';

/** What the buttons of a page may ask for. */
export interface PageActions {
  apply(): void;
  /** Asks for items again. */
  retry(ids: readonly string[]): void;
  inspect(): void;
}

const COPIED_MS = 2_000;

/** Runs the buttons of a page by their `data-act`; one listener serves the items of later, too. */
export function followActions(actions: PageActions): void {
  const acts: Readonly<Record<string, (button: HTMLElement) => void>> = {
    copy: button => copy(button, button.dataset['text'] ?? ''),
    'copy-link': button => copy(button, location.href),
    changeset: button => copy(button, changesetOf(button)),
    inspect: () => actions.inspect(),
    refresh: () => actions.apply(),
    reset: () => {
      reset();
      actions.apply();
    },
    retry: button => actions.retry([button.closest('[data-node]')?.getAttribute('data-node') ?? '']),
    series: button => actions.retry([toggleSeries(button)]),
    step: button => step(button),
  };
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element)) return;
    const button = target.closest<HTMLElement>('[data-act]');
    if (button !== null) acts[button.dataset['act'] ?? '']?.(button);
    for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.more[open]')) {
      if (!menu.contains(target)) menu.open = false;
    }
  });
  document.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLInputElement) narrow(target);
  });
}

async function copy(button: HTMLElement, text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  announce('Copied');
  button.dataset['done'] = '';
  systemClock.setTimeout(() => delete button.dataset['done'], COPIED_MS);
}

/** Says something to a screen reader. */
export function announce(text: string): void {
  const region = document.getElementById('said');
  if (region !== null) region.textContent = text;
}

/** The operations that would make the settings of a configurator lasting: of the fields that the address sets. */
function changesetOf(button: HTMLElement): string {
  const parameters = new URLSearchParams(location.search);
  const controls = [
    ...(button.closest('[data-node]')?.querySelectorAll<HTMLInputElement>('[data-pointer]') ?? []),
  ];
  const set = new Map(
    controls.filter(({ name }) => parameters.has(name)).map(control => [control.name, control]),
  );
  const ops = [...set.values()].map(({ name, dataset }) => ({
    op: 'add',
    path: dataset['pointer'],
    value: typed(parameters.get(name) ?? '', dataset['type']),
  }));
  return JSON.stringify(ops, null, 2);
}

function typed(text: string, type: string | undefined): unknown {
  return type === 'string' || type === 'enum' ? text : JSON.parse(text);
}

/** The buttons beside a number. */
function step(button: HTMLElement): void {
  const field = button.parentElement?.querySelector('input');
  if (!field) return;
  if (field.step === 'any') field.value = String(Number(field.value) + Number(button.dataset['by']));
  else if (button.dataset['by'] === '1') field.stepUp();
  else field.stepDown();
  field.dispatchEvent(new Event('change', { bubbles: true }));
}

/** Search fields: of a list of options, and of the list of dashboards. */
function narrow(field: HTMLInputElement): void {
  const words = field.value.trim().toLowerCase();
  const options = field.dataset['search'];
  const table = field.dataset['filter'];
  const entries =
    options !== undefined
      ? document.querySelectorAll<HTMLElement>(`#${CSS.escape(options)} option`)
      : table !== undefined
        ? document.querySelectorAll<HTMLElement>(`#${CSS.escape(table)} tbody tr`)
        : [];
  for (const entry of entries) entry.hidden = !(entry.textContent ?? '').toLowerCase().includes(words);
  const none = document.querySelector<HTMLElement>(`[data-none="${table}"]`);
  if (none !== null) none.hidden = [...entries].some(entry => !entry.hidden);
}
