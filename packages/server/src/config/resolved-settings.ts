import type { Setting, SettingGroup, SettingSources } from '@msg/command-line';
import { resolveFrom } from '@msg/command-line/internal';
import { isSet, type RunningSetting } from './running-setting.ts';

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
