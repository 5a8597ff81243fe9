const VIEWS = ['pair', 'stack', 'swipe'] as const;

/** Reading a comparison: the cut of the swipe, the way through the items, the view. */
export interface Reading {
  /** Moves the focus by so many items. */
  step(by: number): void;
  nextView(): void;
  otherForm(): void;
}

export function followReading(): Reading {
  document.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.dataset['actInput'] !== 'swipe') return;
    target.closest<HTMLElement>('.ba')?.style.setProperty('--cut', `${target.value}%`);
  });
  document.addEventListener('keydown', event => {
    const { target, key, shiftKey } = event;
    if (!shiftKey || !(target instanceof HTMLInputElement) || target.dataset['actInput'] !== 'swipe') return;
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return;
    event.preventDefault();
    target.valueAsNumber += key === 'ArrowLeft' ? -10 : 10;
    target.dispatchEvent(new Event('input', { bubbles: true }));
  });
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-act=open]') : null;
    // An empty text is the address of this page, so a click anywhere else must end here.
    if (button === null) return;
    const address = URL.parse(button.dataset['text'] ?? '', location.href);
    if (address !== null && /^https?:$/.test(address.protocol))
      globalThis.open(address, '_blank', 'noopener,noreferrer');
  });
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element) markCurrent(target.closest('.chg')?.id);
  });
  return { step, nextView, otherForm };
}

/** The entry of the list whose item has the focus. */
function markCurrent(id: string | undefined): void {
  for (const entry of document.querySelectorAll('.words a.row')) {
    if (id !== undefined && entry.getAttribute('href') === `#${id}`)
      entry.setAttribute('aria-current', 'true');
    else entry.removeAttribute('aria-current');
  }
}

function step(by: number): void {
  const items = [...document.querySelectorAll<HTMLElement>('.chg')];
  const at = items.findIndex(item => item.contains(document.activeElement));
  const next = items[at < 0 && by < 0 ? items.length - 1 : at + by];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'start' });
}

function nextView(): void {
  const at = VIEWS.findIndex(
    name => document.querySelector<HTMLInputElement>(`#view-${name}`)?.checked === true,
  );
  document.querySelector<HTMLInputElement>(`#view-${VIEWS[(at + 1) % VIEWS.length]}`)?.click();
}

function otherForm(): void {
  document.querySelector<HTMLAnchorElement>('#other-view')?.click();
}
