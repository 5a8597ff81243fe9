import { keyOf } from './followed.ts';
import type { Oracle } from './observations.ts';

export const filtered: Oracle = {
  id: 'O14',
  promise: "a publication that a subscriber's filter excludes does not reach it",
  judge({ seen, isExcluded = () => false }) {
    return seen.flatMap(event => {
      if (event.kind !== 'publication' || !isExcluded(event.text)) return [];
      const text = `${keyOf(event)} got ${event.text}, which its filter excludes`;
      return [{ oracle: 'O14', atUs: event.atUs, text }];
    });
  },
};
