/** Addresses of the page itself, which "Reset" leaves alone. */
const KEPT = new Set(['theme', 'at']);

/** What the address of the page says now. */
export const query = (): URLSearchParams => new URLSearchParams(location.search);

/** The same as the query of a request for items: the revision of a page is `$at` there. */
export function requestQuery(): URLSearchParams {
  const parameters = query();
  const at = parameters.get('at');
  parameters.delete('at');
  if (at !== null) parameters.set('$at', at);
  return parameters;
}

/** True when the address holds a setting that "Reset" takes out. */
export const hasSettings = (): boolean => [...query().keys()].some(address => !KEPT.has(address));

/** Writes one setting into the address; undefined takes it out. */
export function write(address: string, value: string | undefined, how: 'push' | 'replace'): void {
  const parameters = query();
  if (value === undefined) parameters.delete(address);
  else parameters.set(address, value);
  go(parameters, how);
}

/** Takes every setting out of the address. */
export function reset(): void {
  go(new URLSearchParams([...query()].filter(([address]) => KEPT.has(address))), 'push');
}

function go(parameters: URLSearchParams, how: 'push' | 'replace'): void {
  parameters.delete('render');
  const text = parameters.toString();
  const url = text === '' ? location.pathname : `${location.pathname}?${text}`;
  if (how === 'push') history.pushState(null, '', url);
  else history.replaceState(null, '', url);
}

/** The forms of the controls: a control that repeats another one stands in one of its own. */
export const settingsForms = (): HTMLFormElement[] =>
  [...document.forms].filter(({ id }) => id.startsWith('settings'));

/** A control of a settings form. */
export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export function isSetting(target: EventTarget | null): target is Control {
  return (
    (target instanceof HTMLInputElement ||
      target instanceof HTMLSelectElement ||
      target instanceof HTMLTextAreaElement) &&
    target.name !== '' &&
    target.getAttribute('form')?.startsWith('settings') === true
  );
}

/** The value of the setting that a control is part of, as it stands in the address; undefined for no value. */
export function settingOf(control: Control): string | undefined {
  if (control instanceof HTMLSelectElement) {
    return control.multiple
      ? JSON.stringify([...control.selectedOptions].map(({ value }) => value))
      : control.value;
  }
  if (control instanceof HTMLTextAreaElement) return control.value;
  if (control.type === 'checkbox') return checkedOf(control);
  return (control.type === 'number' || control.type === 'range') && control.value === ''
    ? undefined
    : control.value;
}

/** One checkbox is a truth, several of one name are a list. */
function checkedOf(control: HTMLInputElement): string {
  const group = control.closest('.choices');
  if (group === null) return String(control.checked);
  const boxes = [...group.querySelectorAll<HTMLInputElement>('input[type=checkbox]')];
  return JSON.stringify(boxes.filter(({ checked }) => checked).map(({ value }) => value));
}

/** True for a control whose value changes with every key. */
export const isTyped = (control: Control): boolean =>
  control instanceof HTMLTextAreaElement ||
  (control instanceof HTMLInputElement && !['checkbox', 'radio'].includes(control.type));
