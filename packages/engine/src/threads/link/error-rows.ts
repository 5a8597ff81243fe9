/** How a kind of error crosses a link. Packed values can be cloned and stand in JSON. */
export interface ErrorRow {
  /** Unique among the rows of a link. */
  readonly name: string;
  /** The packed error; null for an error of another kind. */
  pack(error: unknown): Readonly<Record<string, unknown>> | null;
  unpack(packed: Readonly<Record<string, unknown>>): Error;
}

/** An error between the two ends of a link. */
export interface PackedError {
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The other end failed in a way that no row describes; it reported the error itself. The outcome is unknown. */
export class LinkRequestFailed extends Error {
  override readonly name = 'LinkRequestFailed';
}

const UNKNOWN: PackedError = { name: '', value: {} };

/** Packs an error; see {@link isKnownError} for one that no row describes. */
export function packError(rows: readonly ErrorRow[], error: unknown): PackedError {
  for (const row of rows) {
    const value = row.pack(error);
    if (value !== null) return { name: row.name, value };
  }
  return UNKNOWN;
}

export function isKnownError(packed: PackedError): boolean {
  return packed.name !== UNKNOWN.name;
}

export function unpackError(rows: readonly ErrorRow[], { name, value }: PackedError): Error {
  const row = rows.find(candidate => candidate.name === name);
  return row?.unpack(value) ?? new LinkRequestFailed('the other thread could not carry out the request');
}
