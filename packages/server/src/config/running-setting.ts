import type { Setting, SettingGroup, SettingSources } from '@msg/command-line';
import { resolveFrom } from '@msg/command-line/internal';

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

/** Every setting of the group, resolved, without secrets. */
export function runningSettings(group: SettingGroup, sources: SettingSources): readonly RunningSetting[] {
  return Object.values(group).map(setting => runningSetting(setting, sources));
}

function runningSetting(setting: Setting<unknown>, sources: SettingSources): RunningSetting {
  const { type, key, help, fallback } = setting;
  const { value, layer } = resolveFrom(setting, sources);
  const display = type.show(value) ?? null;
  const secret = type.secret === true;
  return {
    key,
    value: secret ? null : display,
    source: layer,
    default: secret ? null : (type.show(fallback) ?? null),
    secret,
    is_set: isSet(display),
    help,
  };
}
