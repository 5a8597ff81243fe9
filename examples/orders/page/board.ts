import { type Item, type Order, type Row, STEPS } from '../model.ts';
import { create, find, sign } from './find.ts';

/** What takes an order to the step after its own. */
const VERBS = ['Start', 'Finish', 'Hand out'] as const;
/** How a step looks: a class and a shape, beside its word. */
const LOOKS = {
  Placed: ['off', 'circle'],
  Making: ['busy', 'half'],
  Ready: ['ok', 'circle'],
  Collected: ['over', 'check'],
} as const;

const timeOfDay = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** The rows that the page shows. */
export class Board {
  readonly #rows = new Map<string, Row>();
  readonly #elements = new Map<string, HTMLElement>();
  readonly #advance: (order: Order) => Promise<void>;

  /** @param advance is called when a button asks for the next step of an order */
  constructor(advance: (order: Order) => Promise<void>) {
    this.#advance = advance;
  }

  /** Shows these rows and no others. */
  replace(rows: readonly Row[]): void {
    const keys = new Set(rows.map(keyOf));
    for (const [key, element] of this.#elements) {
      if (keys.has(key)) continue;
      element.remove();
      this.#elements.delete(key);
    }
    this.#rows.clear();
    // Orders are shown above those that are there.
    for (const row of rows.toReversed()) this.apply(row);
  }

  /** Shows a row, unless a newer state of it is shown: what the state had already comes once more with the stream. */
  apply(row: Row): void {
    const key = keyOf(row);
    if ((this.#rows.get(key)?.revision ?? 0) >= row.revision) return;
    this.#rows.set(key, row);
    const element = this.#elements.get(key) ?? this.#insert(key, row);
    if (row.kind === 'item') fillItem(element, row);
    else this.#fillOrder(element, row);
    this.#count();
  }

  showConnection(kind: 'ok' | 'off' | 'warn', words: string): void {
    const state = find('#connection');
    state.className = `state ${kind}`;
    state.replaceChildren(
      sign(kind === 'warn' ? 'triangle' : 'circle'),
      create('span', { textContent: words }),
    );
  }

  #insert(key: string, row: Row): HTMLElement {
    const element = row.kind === 'item' ? createItem(row) : createOrder();
    this.#elements.set(key, element);
    if (row.kind === 'item') find('#shelf').prepend(element);
    else this.#place(element, row);
    return element;
  }

  /** The newest order stands at the top; one that comes late goes where it belongs. */
  #place(element: HTMLElement, { id }: Order): void {
    const body = find('#orders tbody');
    const after = [...body.children].find(row => Number((row as HTMLElement).dataset['id']) < id);
    element.dataset['id'] = String(id);
    body.insertBefore(element, after ?? null);
  }

  #fillOrder(element: HTMLElement, order: Order): void {
    const { id, item, step, placedAt } = order;
    const [kind, shape] = LOOKS[step];
    find('th', element).textContent = String(id);
    find('.item', element).textContent = item;
    find('.state', element).className = `state ${kind}`;
    find('.state', element).replaceChildren(sign(shape), step);
    const time = find<HTMLTimeElement>('time', element);
    time.dateTime = placedAt;
    time.textContent = timeOfDay.format(new Date(placedAt));
    this.#fillButton(find<HTMLButtonElement>('button', element), order);
  }

  /** The button stays the same one, so that the keyboard keeps its place. */
  #fillButton(button: HTMLButtonElement, order: Order): void {
    const verb = VERBS[STEPS.indexOf(order.step)];
    button.hidden = verb === undefined;
    button.replaceChildren(
      verb ?? '',
      create('span', { className: 'sr', textContent: ` order ${order.id}` }),
    );
    button.onclick = () => void this.#advance(order);
  }

  #count(): void {
    const orders = [...this.#rows.values()].filter(row => row.kind === 'order');
    const open = orders.filter(({ step }) => step !== 'Collected').length;
    find('#count').textContent = orders.length === 0 ? '' : `${open} open`;
    find('#orders').hidden = orders.length === 0;
    find('#empty').hidden = orders.length > 0;
  }
}

const keyOf = ({ kind, id }: Row): string => `${kind} ${id}`;

function createItem({ id }: Item): HTMLElement {
  const radio = create('input', { type: 'radio', name: 'item', value: id, required: true });
  return create(
    'label',
    {},
    radio,
    create('span', { className: 'name' }),
    create('span', { className: 'left' }),
  );
}

function fillItem(element: HTMLElement, { name, remaining }: Item): void {
  find('.name', element).textContent = name;
  const isOver = remaining === 0;
  const left = find('.left', element);
  left.className = isOver ? 'left state warn' : 'left';
  left.replaceChildren(...(isOver ? [sign('triangle'), 'Sold out'] : [`${remaining} left`]));
}

function createOrder(): HTMLElement {
  const cell = (className: string, child: Node | string): HTMLElement => create('td', { className }, child);
  return create(
    'tr',
    {},
    create('th', { scope: 'row' }),
    cell('item', ''),
    cell('', create('span', { className: 'state' })),
    cell('time', create('time')),
    cell('next', create('button', { className: 'btn', type: 'button' })),
  );
}
