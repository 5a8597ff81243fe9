import type { ChannelPattern, PayloadSchema } from './types.ts';

/** One difference between two versions, for a reader of the earlier one. */
export interface SchemaDifference {
  /** JSON path into the channel pattern. */
  readonly path: string;
  readonly kind: 'additive' | 'breaking';
  /** Description of the difference, for people. */
  readonly text: string;
}

/** The compatibility of an update for readers of publications. */
export interface CompatibilityReport {
  /** True when no difference is breaking. */
  readonly compatible: boolean;
  /** Paths ascending. */
  readonly changes: readonly SchemaDifference[];
}

/** Collects the differences between two versions, for a reader of the earlier one. */
class Comparison {
  readonly changes: SchemaDifference[] = [];

  pattern(before: ChannelPattern, after: ChannelPattern): void {
    for (const name of namesOf(before.aspects, after.aspects)) {
      const path = `aspects.${name}`;
      const [old, young] = [entry(before.aspects, name), entry(after.aspects, name)];
      if (young === undefined) this.#breaks(path, 'the aspect is gone');
      else if (old === undefined) this.#adds(path, 'the aspect is new');
      else {
        if (old.required === true && young.required !== true)
          this.#breaks(`${path}.required`, 'the aspect is no longer required');
        this.schema(old.payload_schema ?? {}, young.payload_schema ?? {}, `${path}.payload_schema`);
      }
    }
  }

  schema(before: PayloadSchema, after: PayloadSchema, path: string): void {
    this.#type(before, after, path);
    this.#enum(before, after, path);
    for (const name of namesOf(before.properties ?? {}, after.properties ?? {})) {
      const here = `${path}.properties.${name}`;
      const [old, young] = [entry(before.properties ?? {}, name), entry(after.properties ?? {}, name)];
      if (young === undefined) this.#breaks(here, 'the property is gone');
      else if (old !== undefined) this.schema(old, young, here);
      // A version that forbids additional properties forbids the new one.
      else if (before.additionalProperties === false)
        this.#breaks(here, 'the property is new where no other was allowed');
      else this.#adds(here, 'the property is new');
    }
    this.#required(before, after, path);
    if (before.items !== undefined || after.items !== undefined)
      this.schema(before.items ?? {}, after.items ?? {}, `${path}.items`);
    this.#strangers(before, after, path);
  }

  #type({ type: before }: PayloadSchema, { type: after }: PayloadSchema, path: string): void {
    if (before === after || before === undefined) return;
    // An integer is a number; any other change of type is breaking.
    if (before === 'number' && after === 'integer') this.#adds(`${path}.type`, 'number became integer');
    else this.#breaks(`${path}.type`, `${before} became ${after ?? 'any type'}`);
  }

  #enum({ enum: before }: PayloadSchema, { enum: after }: PayloadSchema, path: string): void {
    if (before === undefined) return;
    const texts = new Set(before.map(value => JSON.stringify(value)));
    if (after === undefined || after.some(value => !texts.has(JSON.stringify(value))))
      this.#breaks(`${path}.enum`, after === undefined ? 'any value is possible' : 'values are new');
  }

  #required(before: PayloadSchema, after: PayloadSchema, path: string): void {
    const still = new Set(after.required);
    for (const name of before.required ?? [])
      if (!still.has(name) && entry(after.properties ?? {}, name) !== undefined)
        this.#breaks(`${path}.required.${name}`, 'the property is no longer required');
    const earlier = new Set(before.required);
    for (const name of after.required ?? [])
      if (!earlier.has(name) && entry(before.properties ?? {}, name) !== undefined)
        this.#adds(`${path}.required.${name}`, 'the property is always there');
  }

  #strangers(before: PayloadSchema, after: PayloadSchema, path: string): void {
    const [old, young] = [before.additionalProperties ?? true, after.additionalProperties ?? true];
    const here = `${path}.additionalProperties`;
    if (typeof old === 'object' && typeof young === 'object') this.schema(old, young, here);
    else if (old !== true && young !== false && JSON.stringify(old) !== JSON.stringify(young))
      this.#breaks(here, 'other properties are possible');
  }

  #breaks(path: string, text: string): void {
    this.changes.push({ path, kind: 'breaking', text });
  }

  #adds(path: string, text: string): void {
    this.changes.push({ path, kind: 'additive', text });
  }
}

function namesOf(...maps: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  return [...new Set(maps.flatMap(map => Object.keys(map)))].sort();
}

function entry<T>(map: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/**
 * Compares two versions of one pattern for a reader of publications that knows the earlier version: a lost guarantee is
 * breaking, an ignorable change is additive.
 */
export function compareSchemas(before: ChannelPattern, after: ChannelPattern): CompatibilityReport {
  const comparison = new Comparison();
  comparison.pattern(before, after);
  const changes = comparison.changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { compatible: changes.every(({ kind }) => kind === 'additive'), changes };
}
