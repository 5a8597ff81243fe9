import type { Program, Step } from './positions.ts';

/** A text that can be lengthened at will: `prefix`, then `pump` as often as one likes. */
export interface Pumped {
  readonly prefix: string;
  readonly pump: string;
}

/** Where a pattern keeps on trying: a text whose reading takes more than linear time, or the texts that keep loops going. */
export interface Ambiguity {
  /** Undefined when no text has a number of partial readings that grows with its length. */
  readonly ambiguous: Pumped | undefined;
  /** For each loop a text that keeps it going: the worst that a pattern without ambiguity can meet. */
  readonly loops: readonly Pumped[];
}

/**
 * Looks for two loops that read the same text, one behind the other (the number of partial readings grows with a power
 * of the length), or one loop with two ways through (it grows exponentially): Weber and Seidl's criteria IDA and EDA.
 * Without them every text has a bounded number of partial readings at each of its places, so that backtracking takes
 * linear time. A reading that can end in a match at once is none that is abandoned. The search for a later start is a
 * loop too, which reads anything.
 */
export function findAmbiguity(program: Program): Ambiguity {
  const graph = new Graph(program);
  const cyclic = graph.places.filter(place => graph.component(place).length > 0);
  const loops = cyclic.flatMap(place => {
    const [prefix, pump] = [graph.wordTo(place), graph.cycleAt(place)];
    return prefix === undefined || pump === undefined ? [] : [{ prefix, pump }];
  });
  for (const place of cyclic) {
    const pump = graph.twoWaysAround(place);
    if (pump !== undefined) return { ambiguous: { prefix: graph.wordTo(place) ?? '', pump }, loops };
  }
  for (const first of cyclic) {
    for (const second of cyclic) {
      const pump = first === second ? undefined : graph.sharedLoop(first, second);
      if (pump !== undefined) return { ambiguous: { prefix: graph.wordTo(first) ?? '', pump }, loops };
    }
  }
  return { ambiguous: undefined, loops };
}

/** A letter of the pattern as a place in a text, or the start of the text, or the search for a later start. */
interface Place {
  readonly id: number;
  /** Where reading goes on, each with the number of ways that lead there: one, or two for several. */
  readonly next: Map<Place, number>;
  readonly reads: (character: string) => boolean;
}

class Graph {
  readonly places: Place[] = [];
  readonly #start: Place;
  readonly #alphabet: readonly string[];
  readonly #reachable = new Map<Place, ReadonlySet<Place>>();

  constructor({ start, letters, alphabet, anchored }: Program) {
    this.#alphabet = alphabet;
    const placeOf = new Map<Step, Place>();
    const add = (reads: Place['reads']): Place => {
      const place = { id: this.places.length, next: new Map<Place, number>(), reads };
      this.places.push(place);
      return place;
    };
    this.#start = add(() => false);
    const search = add(() => true);
    for (const letter of letters) placeOf.set(letter, add(letter.reads ?? (() => false)));
    const link = (from: Place, after: readonly Step[]) => {
      const { letters: reached, ends } = lettersAfter(after, from === this.#start);
      // Nobody comes back from a place where the match can end.
      if (ends && from !== this.#start && from !== search) return;
      for (const [letter, ways] of reached) from.next.set(placeOf.get(letter) as Place, ways);
    };
    link(this.#start, [start]);
    if (!anchored) {
      link(search, [start]);
      search.next.set(search, 1);
      this.#start.next.set(search, 1);
    }
    for (const letter of letters) link(placeOf.get(letter) as Place, letter.next);
  }

  /** The places of all loops through `place`; empty when there is none. */
  component(place: Place): Place[] {
    const ahead = this.#from(place);
    if (!ahead.has(place)) return [];
    return [...ahead].filter(other => this.#from(other).has(place));
  }

  /** A shortest text that leads from the start to `place`; undefined when none does. */
  wordTo(place: Place): string | undefined {
    if (place === this.#start) return '';
    return this.#shortest(
      [this.#start],
      ([at]) => at === place,
      () => true,
    );
  }

  cycleAt(place: Place): string | undefined {
    return this.#shortest(
      [place],
      ([at]) => at === place,
      () => true,
    );
  }

  /** A text that leads around a loop at `place` in two ways. */
  twoWaysAround(place: Place): string | undefined {
    const inside = new Set(this.component(place));
    const within = (places: readonly Place[]) => places.every(other => inside.has(other));
    for (const other of inside) {
      for (const [next, ways] of other.next) {
        if (ways < 2 || !inside.has(next)) continue;
        const there = this.#shortest([place], ([at]) => at === other, within, true) ?? '';
        const step = this.#alphabet.find(character => next.reads(character));
        const back = next === place ? '' : this.#shortest([next], ([at]) => at === place, within);
        if (step !== undefined && back !== undefined) return there + step + back;
      }
    }
    // The third member notes whether the two readings were ever apart.
    return this.#shortest(
      [place, place],
      ([left, right], apart) => left === place && right === place && apart,
      within,
    );
  }

  /** A text that leads around `first`, from `first` to `second`, and around `second`. */
  sharedLoop(first: Place, second: Place): string | undefined {
    if (!this.#from(first).has(second)) return undefined;
    const [around, there] = [new Set(this.component(first)), new Set(this.component(second))];
    return this.#shortest(
      [first, first, second],
      ([left, middle, right]) => left === first && middle === second && right === second,
      ([left, middle, right]) =>
        around.has(left as Place) && this.#leadsTo(middle as Place, second) && there.has(right as Place),
    );
  }

  #leadsTo(place: Place, target: Place): boolean {
    return place === target || this.#from(place).has(target);
  }

  #from(place: Place): ReadonlySet<Place> {
    const known = this.#reachable.get(place);
    if (known !== undefined) return known;
    const found = new Set<Place>();
    const waiting = [place];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      for (const next of at.next.keys()) {
        if (found.has(next) || !this.#alphabet.some(character => next.reads(character))) continue;
        found.add(next);
        waiting.push(next);
      }
    }
    this.#reachable.set(place, found);
    return found;
  }

  /** A shortest text that takes several readings at once from `from` to a goal; not the empty one unless allowed. */
  #shortest(
    from: readonly Place[],
    isGoal: (places: readonly Place[], apart: boolean) => boolean,
    isAllowed: (places: readonly Place[]) => boolean,
    emptyToo = false,
  ): string | undefined {
    if (emptyToo && isGoal(from, false)) return '';
    const seen = new Set<string>();
    let waiting: { places: readonly Place[]; apart: boolean; text: string }[] = [
      { places: from, apart: false, text: '' },
    ];
    while (waiting.length > 0) {
      const next: typeof waiting = [];
      for (const { places, apart, text } of waiting) {
        for (const character of this.#alphabet) {
          for (const reached of combinations(places.map(place => nextPlaces(place, character)))) {
            const nowApart = apart || (reached.length === 2 && reached[0] !== reached[1]);
            const key = `${reached.map(({ id }) => id).join()} ${nowApart}`;
            if (seen.has(key) || !isAllowed(reached)) continue;
            if (isGoal(reached, nowApart)) return text + character;
            seen.add(key);
            next.push({ places: reached, apart: nowApart, text: text + character });
          }
        }
      }
      waiting = next;
    }
    return undefined;
  }
}

function nextPlaces(place: Place, character: string): Place[] {
  return [...place.next.keys()].filter(next => next.reads(character));
}

function combinations(lists: readonly (readonly Place[])[]): Place[][] {
  return lists.reduce<Place[][]>(
    (found, list) => found.flatMap(start => list.map(place => [...start, place])),
    [[]],
  );
}

/** The letters that follow without reading, with one or two (for several) ways to each; whether a match can end at once. */
function lettersAfter(
  steps: readonly Step[],
  atStart: boolean,
): { letters: Map<Step, number>; ends: boolean } {
  const letters = new Map<Step, number>();
  let ends = false;
  // An iteration that reads nothing ends its repetition: nobody comes back to one that was entered on the way.
  const visit = (step: Step, entered: ReadonlySet<Step>, certain: boolean): void => {
    if (step.kind === 'letter') letters.set(step, Math.min(2, (letters.get(step) ?? 0) + 1));
    else if (step.kind === 'end') ends ||= certain;
    else if (!entered.has(step) && (atStart || step.atStart !== true)) {
      const [body, ...others] = step.next as [Step, ...Step[]];
      const inBody = step.repeats === true ? new Set([...entered, step]) : entered;
      const sure = certain && step.kind !== 'check';
      visit(body, inBody, sure);
      for (const next of others) visit(next, entered, sure);
    }
  };
  for (const step of steps) visit(step, new Set(), true);
  return { letters, ends };
}
