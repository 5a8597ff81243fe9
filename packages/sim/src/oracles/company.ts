/** A client is subscribed, as it knows itself. */
export interface Stay {
  readonly client: string;
  /** The id of its connection. */
  readonly connection: string;
  readonly channel: string;
  readonly fromUs: number;
  /** Infinite: until the end of the run. */
  readonly untilUs: number;
}

/** A join or a leave that reached an application. */
export interface Notice {
  /** Who was told. */
  readonly client: string;
  readonly channel: string;
  readonly atUs: number;
  readonly kind: 'join' | 'leave';
  /** Whose join or leave. */
  readonly connection: string;
}

/** What a client was answered that asked who is in a channel. */
export interface Look {
  readonly client: string;
  readonly channel: string;
  readonly askedUs: number;
  readonly atUs: number;
  /** Ids of connections; undefined: it was refused, or not answered. */
  readonly present: readonly string[] | undefined;
  /** What the counts say. */
  readonly count: number | undefined;
}

/** Who was in which channel, what clients were told of each other, and what they saw when they looked. */
export interface CompanyRecord {
  readonly stays: readonly Stay[];
  readonly notices: readonly Notice[];
  readonly looks: readonly Look[];
  /** How long after its end an entry may be seen, microseconds: that of a killed node expires. */
  readonly lingersUs: number;
  /** No join and no leave is lost between store and node. */
  readonly isToldAll: boolean;
}
