/** The channel of the order. It is private: it opens only for the customer whose token says so. */
export const ORDER = 'private:shop.order.1042';

/** What happens to an order, in this order. */
export const STEPS = ['Paid', 'Packed', 'Label printed', 'Handed to carrier', 'Delivered'] as const;

/** What is published when a step is done. */
export interface Step {
  readonly name: string;
  /** RFC 3339. */
  readonly at?: string;
}
