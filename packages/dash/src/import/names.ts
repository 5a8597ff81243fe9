/** Rules of a kind of name. */
export interface NameRule {
  /** Characters that cannot stand in it. */
  readonly forbidden: RegExp;
  /** What comes before a name that starts wrongly. */
  readonly start: RegExp;
  readonly most: number;
  readonly reserved: ReadonlySet<string>;
}

export const VARIABLE_NAME: NameRule = {
  forbidden: /[^A-Za-z0-9_]/g,
  start: /^[A-Za-z_]/,
  most: 64,
  reserved: new Set(['true', 'false', 'null', 'and', 'or', 'not', 'in']),
};

export const NODE_ID: NameRule = {
  forbidden: /[^A-Za-z0-9_-]/g,
  start: /^[A-Za-z0-9_]/,
  most: 128,
  reserved: new Set(),
};

export const CONNECTION_ID: NameRule = {
  forbidden: /[^A-Za-z0-9_.-]/g,
  start: /^[A-Za-z0-9_]/,
  most: 128,
  reserved: new Set(),
};

/** Names of one kind, each taken once. */
export class Names {
  readonly #rule: NameRule;
  readonly #taken = new Set<string>();

  constructor(rule: NameRule) {
    this.#rule = rule;
  }

  /** A name made of `wish` that is not taken yet. */
  take(wish: string): string {
    const { forbidden, start, most, reserved } = this.#rule;
    const plain = wish.replace(forbidden, '_');
    const base = (start.test(plain) ? plain : `_${plain}`).slice(0, most);
    let name = base;
    for (let count = 2; this.#taken.has(name) || reserved.has(name); count += 1) {
      const end = `_${count}`;
      name = base.slice(0, most - end.length) + end;
    }
    this.#taken.add(name);
    return name;
  }
}
