import { element } from './send.ts';

/** What became of a proposal on the stored document, as the server answers it. */
interface Rebased {
  readonly applies: number;
  readonly of: number;
  readonly failing: readonly { readonly index: number; readonly code: string; readonly message: string }[];
  readonly between: readonly { readonly text: string }[];
  /** The operations that still apply, as a proposal of their own. */
  readonly proposal?: string;
}

/** "3 of 5 operations still apply": what happened in between, what fails and why, and the way to the rest. */
export function showOutcome(place: Element, answer: object): void {
  const { applies, of, failing, between, proposal } = answer as Rebased;
  const noun = of === 1 ? 'operation' : 'operations';
  const parts: Node[] = [
    element('h2', '', `${applies} of ${of} ${noun} still ${applies === 1 ? 'applies' : 'apply'}`),
  ];
  if (between.length > 0) {
    parts.push(element('p', 'small soft', 'Changed in between:'));
    parts.push(element('ul', 'small', ...between.map(({ text }) => element('li', 'wrap', text))));
  }
  if (failing.length > 0) {
    parts.push(element('p', 'small soft', failing.length === 1 ? 'This one fails:' : 'These fail:'));
    const rows = failing.map(({ index, code, message }) =>
      element('li', 'wrap', `Operation ${index + 1}: `, element('span', 'code mono', code), ` ${message}`),
    );
    parts.push(element('ul', 'small', ...rows));
  }
  if (proposal === undefined)
    parts.push(element('p', 'small', 'Send the proposal back, or ask for a new one.'));
  else parts.push(element('p', '', nextReview(proposal, applies)));
  place.className = 'panel';
  place.replaceChildren(...parts);
}

function nextReview(proposal: string, applies: number): HTMLElement {
  const link = element('a', 'btn primary', applies === 1 ? 'Review the one' : `Review the ${applies}`);
  link.setAttribute('href', `/r/${proposal}`);
  return link;
}
