import type { ChannelPattern, PayloadSchema } from './types.ts';

/** What an update means for those who read the publications. */
export interface CompatibilityReport {
  readonly verdict: 'unchanged' | 'additive' | 'breaking';
  /** JSON paths of what a reader of the earlier version may stumble over, ascending. */
  readonly breaking: readonly string[];
  /** JSON paths of what is new, ascending. */
  readonly additive: readonly string[];
}

/** Collects the differences of two versions, from the side of a reader of the earlier one. */
class Comparison {
  readonly breaking: string[] = [];
  readonly additive: string[] = [];

  pattern(before: ChannelPattern, after: ChannelPattern): void {
    for (const name of namesOf(before.aspects, after.aspects)) {
      const path = `aspects.${name}`;
      const [old, young] = [own(before.aspects, name), own(after.aspects, name)];
      if (young === undefined) this.breaking.push(path);
      else if (old === undefined) this.additive.push(path);
      else {
        if (old.required === true && young.required !== true) this.breaking.push(`${path}.required`);
        this.schema(old.payload_schema ?? {}, young.payload_schema ?? {}, `${path}.payload_schema`);
      }
    }
  }

  schema(before: PayloadSchema, after: PayloadSchema, path: string): void {
    this.#type(before, after, path);
    this.#enum(before, after, path);
    for (const name of namesOf(before.properties ?? {}, after.properties ?? {})) {
      const here = `${path}.properties.${name}`;
      const [old, young] = [own(before.properties ?? {}, name), own(after.properties ?? {}, name)];
      if (young === undefined) this.breaking.push(here);
      else if (old !== undefined) this.schema(old, young, here);
      // Who forbids strangers forbids what is new.
      else if (before.additionalProperties === false) this.breaking.push(here);
      else this.additive.push(here);
    }
    this.#required(before, after, path);
    if (before.items !== undefined || after.items !== undefined)
      this.schema(before.items ?? {}, after.items ?? {}, `${path}.items`);
    this.#strangers(before, after, path);
  }

  #type({ type: before }: PayloadSchema, { type: after }: PayloadSchema, path: string): void {
    if (before === after || before === undefined) return;
    // An integer is a number; anything else is something else.
    if (before === 'number' && after === 'integer') this.additive.push(`${path}.type`);
    else this.breaking.push(`${path}.type`);
  }

  #enum({ enum: before }: PayloadSchema, { enum: after }: PayloadSchema, path: string): void {
    if (before === undefined) return;
    const known = new Set(before.map(value => JSON.stringify(value)));
    if (after === undefined || after.some(value => !known.has(JSON.stringify(value))))
      this.breaking.push(`${path}.enum`);
  }

  #required(before: PayloadSchema, after: PayloadSchema, path: string): void {
    const still = new Set(after.required);
    for (const name of before.required ?? [])
      if (!still.has(name) && own(after.properties ?? {}, name) !== undefined)
        this.breaking.push(`${path}.required.${name}`);
    const earlier = new Set(before.required);
    for (const name of after.required ?? [])
      if (!earlier.has(name) && own(before.properties ?? {}, name) !== undefined)
        this.additive.push(`${path}.required.${name}`);
  }

  #strangers(before: PayloadSchema, after: PayloadSchema, path: string): void {
    const [old, young] = [before.additionalProperties ?? true, after.additionalProperties ?? true];
    const here = `${path}.additionalProperties`;
    if (typeof old === 'object' && typeof young === 'object') this.schema(old, young, here);
    else if (old !== true && young !== false && JSON.stringify(old) !== JSON.stringify(young))
      this.breaking.push(here);
  }
}

function namesOf(...maps: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  return [...new Set(maps.flatMap(map => Object.keys(map)))].sort();
}

function own<T>(map: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/**
 * Compares two versions of one pattern for whoever reads publications and knows the earlier: what a reader can no
 * longer count on is breaking, what it only has to ignore is additive.
 */
export function compareSchemas(before: ChannelPattern, after: ChannelPattern): CompatibilityReport {
  const comparison = new Comparison();
  comparison.pattern(before, after);
  const breaking = comparison.breaking.sort();
  const additive = comparison.additive.sort();
  const verdict = breaking.length > 0 ? 'breaking' : additive.length > 0 ? 'additive' : 'unchanged';
  return { verdict, breaking, additive };
}
