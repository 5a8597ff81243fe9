import { elementOf } from './trusted.ts';

/** The markup that the server sent for each item, before the script of the page added anything to it. */
const sources = new WeakMap<Element, string>();

/** What the script adds to items that have just come in. */
type Enhance = (item: Element) => void;

/** Changes the document on the page into a newer one, leaving alone whatever is the same. */
export class Swap {
  readonly #enhance: Enhance;
  readonly #styles = new CSSStyleSheet();

  constructor(enhance: Enhance) {
    this.#enhance = enhance;
    document.adoptedStyleSheets.push(this.#styles);
    for (const item of document.querySelectorAll('[data-leaf]')) this.#adopt(item);
  }

  /** The whole document, with the rules of its grids. */
  whole(html: string, css: string, about: string): void {
    const next = elementOf(html);
    const canvas = document.getElementById('canvas');
    if (next === undefined || canvas === null) return;
    this.#styles.replaceSync(css);
    this.#element(canvas, next);
    const head = elementOf(about);
    if (head !== undefined) document.getElementById('about')?.replaceWith(head);
  }

  /** Of the whole document only the controls whose setting is wrong: every drawing stays as it is. */
  errors(html: string): void {
    const next = elementOf(html);
    for (const marked of next?.querySelectorAll('[aria-invalid=true]') ?? []) {
      const item = marked.closest('[data-leaf]');
      const old = itemOf(item?.getAttribute('data-node') ?? '');
      if (item !== null && old !== null) this.#leaf(old, item);
    }
  }

  /** One item. */
  item(id: string, html: string): void {
    const next = elementOf(html);
    const item = itemOf(id);
    if (next !== undefined && item !== null) this.#leaf(item, next);
  }

  #element(old: Element, next: Element): void {
    if (next.hasAttribute('data-leaf') || old.hasAttribute('data-leaf')) this.#leaf(old, next);
    else {
      copyAttributes(old, next);
      this.#children(old, next);
    }
  }

  /** Children that are nodes of the document keep their element, wherever they move. */
  #children(old: Element, next: Element): void {
    const children = [...next.childNodes].map(child => {
      if (!(child instanceof Element)) return child;
      const before = counterpart(old, child);
      if (before === undefined) return this.#fresh(child);
      this.#element(before, child);
      return counterpart(old, child) ?? child;
    });
    const same =
      children.length === old.childNodes.length &&
      children.every((child, at) => child === old.childNodes[at]);
    if (!same) replaceKeeping(old, children);
  }

  /** An item is replaced when the server renders it differently. */
  #leaf(old: Element, next: Element): void {
    const html = next.outerHTML;
    if (sources.get(old) === html) return;
    if (isWaiting(next) && !isWaiting(old)) {
      old.setAttribute('aria-busy', 'true'); // the last drawing stays until the next one is there
      return;
    }
    const state = stateOf(old);
    old.replaceWith(next);
    this.#adopt(next);
    state(next);
  }

  #fresh(element: Element): Element {
    for (const item of [element, ...element.querySelectorAll('*')])
      if (item.hasAttribute('data-leaf')) this.#adopt(item);
    return element;
  }

  #adopt(item: Element): void {
    sources.set(item, item.outerHTML);
    this.#enhance(item);
  }
}

export const itemOf = (id: string): HTMLElement | null => document.getElementById(`n-${id}`);

const isWaiting = (item: Element): boolean => item.getAttribute('data-state') === 'loading';

/** The element that stands for the same thing: a node by its id, anything else by its place and kind. */
function counterpart(old: Element, child: Element): Element | undefined {
  const id = child.getAttribute('data-node');
  if (id !== null) return itemOf(id) ?? undefined;
  const kind = (element: Element): string => `${element.tagName} ${element.className}`;
  return [...old.children].find(other => !other.hasAttribute('data-node') && kind(other) === kind(child));
}

function copyAttributes(old: Element, next: Element): void {
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of next.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
}

/** Puts children in order without taking those out that stand where they belong: a moved element loses its focus. */
function replaceKeeping(parent: Element, children: readonly ChildNode[]): void {
  const wanted = new Set(children);
  for (const child of [...parent.childNodes]) if (!wanted.has(child)) child.remove();
  let at: ChildNode | null = parent.firstChild;
  for (const child of children) {
    if (child === at) at = at.nextSibling;
    else parent.insertBefore(child, at);
  }
}

/** What a person has done to an item, to be done to the one that takes its place. */
function stateOf(old: Element): (next: Element) => void {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const place = focused === null ? -1 : operable(old).indexOf(focused);
  const typed =
    focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement ? focused : null;
  const caret = typed === null ? null : ([typed.selectionStart, typed.selectionEnd] as const);
  // Only what the server does not know yet: going back shows the older text.
  const text =
    typed !== null && isText(typed) && typed.value !== typed.defaultValue ? typed.value : undefined;
  const open = [...old.querySelectorAll('details')].map(details => details.open);
  const scrolls = [...old.querySelectorAll('.tablewrap')].map(
    ({ scrollTop, scrollLeft }) => [scrollTop, scrollLeft] as const,
  );
  return next => {
    for (const [at, details] of next.querySelectorAll('details').entries()) details.open = open[at] ?? false;
    for (const [at, wrap] of next.querySelectorAll('.tablewrap').entries()) {
      const [top = 0, left = 0] = scrolls[at] ?? [];
      wrap.scrollTo(left, top);
    }
    const control = operable(next)[place];
    if (!(control instanceof HTMLElement)) return;
    if (text !== undefined && (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement))
      control.value = text;
    control.focus({ preventScroll: true });
    if (
      caret?.[0] !== null &&
      caret !== null &&
      (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement)
    ) {
      control.setSelectionRange(caret[0], caret[1]);
    }
  };
}

const isText = (control: HTMLInputElement | HTMLTextAreaElement): boolean =>
  control instanceof HTMLTextAreaElement || ['text', 'number', 'search'].includes(control.type);

const operable = (item: Element): Element[] => [
  ...item.querySelectorAll('input:not([type=hidden]), textarea, select, button, a, summary, [tabindex]'),
];
