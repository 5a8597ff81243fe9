/** A setting that a service runs with. Source: console, section 7. */
export interface RunningSetting {
  /** Key path in the configuration file, or the name of an option. */
  readonly key: string;
  /** As JSON; `null` for a secret. */
  readonly value: unknown;
  readonly source: 'flag' | 'env' | 'file' | 'default' | 'embedder';
  readonly default: unknown;
  readonly secret: boolean;
  /** The value is neither empty nor off. */
  readonly is_set: boolean;
  readonly help: string;
}

/** Whether a shown value says something: neither empty nor off. */
export function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
