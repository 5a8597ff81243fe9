import { isJsonObject, type Json } from '../document/json.ts';
import { childOf, formatPointer } from '../document/pointer.ts';

/** A value of the imported file, or the place of one that it does not have. */
export class Cursor {
  readonly value: Json | undefined;
  readonly path: readonly string[];

  constructor(value: Json | undefined, path: readonly string[] = []) {
    this.value = value;
    this.path = path;
  }

  /** JSON Pointer of the place in the file. */
  get pointer(): string {
    return formatPointer(this.path);
  }

  get exists(): boolean {
    return this.value !== undefined;
  }

  /** Undefined for anything but text. */
  get text(): string | undefined {
    return typeof this.value === 'string' ? this.value : undefined;
  }

  /** Undefined for anything but a number. */
  get number(): number | undefined {
    return typeof this.value === 'number' && Number.isFinite(this.value) ? this.value : undefined;
  }

  /** Elements of a list; none for anything else. */
  get items(): readonly Cursor[] {
    return Array.isArray(this.value) ? this.value.map((_, index) => this.at(String(index))) : [];
  }

  /** Members of an object with their names; none for anything else. */
  get members(): readonly (readonly [string, Cursor])[] {
    return isJsonObject(this.value)
      ? Object.keys(this.value).map(name => [name, this.at(name)] as const)
      : [];
  }

  /** The value some steps below; its place also where the file has none. */
  at(...steps: readonly string[]): Cursor {
    let value = this.value;
    for (const step of steps) value = childOf(value, step);
    return new Cursor(value, [...this.path, ...steps]);
  }
}
