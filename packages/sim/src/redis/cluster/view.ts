import type { Place } from '../place.ts';
import type { Bytes } from '../reply.ts';
import { SLOTS } from './slots.ts';

/** A master of a cluster. */
export interface Member {
  /** Forty hexadecimal digits. */
  readonly id: Bytes;
  readonly place: Place;
}

/** Slots that follow each other, with the member that serves them. */
export interface SlotRange {
  readonly first: number;
  readonly last: number;
  readonly owner: Member;
}

/** What one member of a cluster believes. */
export class ClusterView {
  readonly self: Member;
  readonly members: readonly Member[];
  /** Slots whose keys are on their way to another member. */
  readonly migrating = new Map<number, Member>();
  /** Slots whose keys are on their way from another member. */
  readonly importing = new Map<number, Member>();
  /** Too few members answer: no key is served. */
  isDown = false;
  readonly #owners: Member[];

  /** The members share the slots evenly. @param index of the member whose view it is */
  constructor(members: readonly Member[], index: number) {
    this.members = members;
    this.self = members[index] as Member;
    const share = Math.ceil(SLOTS / members.length);
    this.#owners = Array.from({ length: SLOTS }, (_, slot) => members[Math.floor(slot / share)] as Member);
  }

  ownerOf(slot: number): Member {
    return this.#owners[slot] as Member;
  }

  /** A slot belongs to a member from now on; one that is not on its way any more. */
  assign(slot: number, owner: Member): void {
    this.#owners[slot] = owner;
    this.migrating.delete(slot);
    this.importing.delete(slot);
  }

  ranges(): readonly SlotRange[] {
    const ranges: { first: number; last: number; owner: Member }[] = [];
    for (const [slot, owner] of this.#owners.entries()) {
      const range = ranges.at(-1);
      if (range?.owner === owner) range.last = slot;
      else ranges.push({ first: slot, last: slot, owner });
    }
    return ranges;
  }
}
