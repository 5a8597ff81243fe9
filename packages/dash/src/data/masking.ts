import { MASK } from '../document/credentials.ts';
import type { Json } from '../document/json.ts';

/** A shorter value does not count as a secret: to mask it would make other texts unreadable. */
const SHORTEST = 4;
/** Text of an upstream system that an error repeats. */
const MOST_UPSTREAM = 300;

/** Takes the values of secrets out of texts, also base64 and URL-encoded ones (page and review 5.1). */
export class Masking {
  readonly #values = new Set<string>();
  #pattern: RegExp | undefined;
  #someNumber = false;

  /** From now on `value` is masked. */
  add(value: string): void {
    if (value.length < SHORTEST || this.#values.has(value)) return;
    this.#values.add(value);
    this.#pattern = maskPattern(this.#values);
    this.#someNumber ||= /^[\d.eE+-]+$/.test(value);
  }

  text(text: string): string {
    return this.#pattern === undefined ? text : text.replace(this.#pattern, MASK);
  }

  /** A text of an upstream system for an error: masked, then cut. */
  upstream(text: string): string {
    const masked = this.text(text);
    return masked.length <= MOST_UPSTREAM ? masked : `${masked.slice(0, MOST_UPSTREAM - 1).toWellFormed()}…`;
  }

  get isNeeded(): boolean {
    return this.#pattern !== undefined;
  }

  /** A value with every text in it masked; the value itself when there is nothing to mask. */
  value<T>(value: T): T;
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') {
      return this.#someNumber && this.text(String(value)) !== String(value) ? MASK : value;
    }
    if (Array.isArray(value)) return mapped(value, item => this.value(item));
    if (typeof value !== 'object' || value === null) return value;
    return this.#object(value as Readonly<Record<string, Json>>);
  }

  #object(object: Readonly<Record<string, Json>>): object {
    let changed: [string, unknown][] | undefined;
    for (const key in object) {
      const member = object[key];
      if (this.text(key) === key && this.value(member) === member) continue;
      changed ??= Object.entries(object).map(([other, value]) => [this.text(other), this.value(value)]);
    }
    return changed === undefined ? object : Object.fromEntries(changed);
  }
}

/** Matches every form of these values; longer forms first, so that no part of one stays. */
export function maskPattern(values: Iterable<string>): RegExp {
  const forms = [...new Set([...values].flatMap(readingsOf).flatMap(formsOf))].filter(
    form => form.length >= SHORTEST,
  );
  const parts = forms.toSorted((a, b) => b.length - a.length).map(escapePattern);
  return new RegExp(parts.join('|'), 'gi');
}

/** The list itself when `change` changes nothing. */
function mapped(list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  const changed = list.map(change);
  return changed.some((item, index) => item !== list[index]) ? changed : list;
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** A secret as who reads its bytes by another character set sees it: headers of HTTP have none. */
function readingsOf(secret: string): string[] {
  const asLatin = Buffer.from(secret, 'utf8').toString('latin1');
  const asUtf8 = Buffer.from(secret, 'latin1').toString('utf8');
  return [...new Set([secret, asLatin, asUtf8])];
}

/** The texts in which a secret may come back. */
function formsOf(secret: string): string[] {
  const component = encodeURIComponent(secret);
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  const everyByte = [...Buffer.from(secret)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return [
    secret,
    ...base64Forms(secret),
    component,
    encodeURI(secret),
    form,
    everyByte,
    JSON.stringify(secret).slice(1, -1),
  ];
}

/** Base64 of a secret at each place of the three bytes of a group, without the characters that depend on its neighbours. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap(before => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + bytes.length) * 8) / 6);
    const inner = text.slice(from, to);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
