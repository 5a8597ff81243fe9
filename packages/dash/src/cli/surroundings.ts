import type { NodeTypes } from '#src/changeset/node-types.ts';
import type { JsonObject } from '#src/document/json.ts';

/** Catalogue and resolver, as far as the command line needs them. */
export interface Engine {
  readonly types: NodeTypes;
  /** Resolved tree of a document. @throws DashError when it does not resolve. */
  resolve(document: JsonObject, options: ResolveFlags): object;
}

export interface ResolveFlags {
  /** Runtime overrides, address to text value, in the order given. */
  readonly overrides?: readonly (readonly [address: string, value: string])[];
  readonly requireSecrets?: boolean;
}

/** What a command reads and writes besides the store; the process itself, or a test. */
export interface Surroundings {
  readonly version: string;
  stdin(): Promise<Uint8Array>;
  stdout(text: string): void;
  stderr(text: string): void;
  /** Opens the catalogue in `directory`, or the built-in one. */
  openEngine?(directory: string | undefined): Promise<Engine>;
}
