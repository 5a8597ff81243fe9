// What the backend answers and publishes, for the page and for the backend.

/** Everybody in the shop may read it; an application with customers opens a private channel for each. */
export const CHANNEL = 'public:shop.orders';

export const STEPS = ['Placed', 'Making', 'Ready', 'Collected'] as const;
type Step = (typeof STEPS)[number];

/** `revision` rises with every change of a row: of two states the one with the higher is the newer. */
export interface Item {
  readonly kind: 'item';
  readonly id: string;
  readonly name: string;
  readonly remaining: number;
  readonly revision: number;
}

export interface Order {
  readonly kind: 'order';
  readonly id: number;
  /** Name of the item. */
  readonly item: string;
  readonly step: Step;
  /** RFC 3339. */
  readonly placedAt: string;
  readonly revision: number;
}

/** A whole row: to apply it twice, or late, does no harm. */
export type Row = Item | Order;

/** Rows as of one moment, and a position that is not behind it. */
export interface State {
  readonly position: { readonly offset: number; readonly epoch: string };
  readonly rows: readonly Row[];
}
