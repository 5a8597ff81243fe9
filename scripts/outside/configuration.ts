import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Setting } from '@msg/command-line';
import { COMMANDS, CONFIG_SETTINGS, SERVE_SETTINGS } from '@msg/server/internal';

function facts({ aliases, flag, short, env, type, fallback }: Setting<unknown>): object {
  return {
    ...(aliases === undefined ? {} : { aliases }),
    ...(flag === undefined ? {} : { flag }),
    ...(short === undefined ? {} : { short }),
    ...(env === undefined ? {} : { variable: env }),
    type: type.collect ? 'list' : (type.placeholder ?? 'switch'),
    ...(type.secret ? { secret: true } : {}),
    default: type.format(fallback),
    ...(type.companions === undefined ? {} : { beside: Object.keys(type.companions) }),
    ...(type.members === undefined ? {} : { members: membersOf(type) }),
  };
}

function membersOf({ members = {} }: Setting<unknown>['type']): object {
  return Object.fromEntries(Object.entries(members).map(([name, { shownType }]) => [name, shownType]));
}

/** Each key of the configuration file, with flag, variable, type and default. */
export function configuration(): object {
  const settings: readonly Setting<unknown>[] = [
    ...Object.values(SERVE_SETTINGS),
    ...Object.values(CONFIG_SETTINGS),
  ];
  return Object.fromEntries(settings.map(setting => [setting.key, facts(setting)]));
}

/** Variables read by name in the sources: `process.env['DASHDOC_VERSION']`. */
const READ = /\benv(?:ironment)?(?:\.|\[')(?<name>[A-Z][A-Z0-9_]+)\b/g;

/** Variables of the environment, with the programs' commands or the packages that read them. */
export function variables(root: string, packages: readonly string[]): object {
  const readers = new Map<string, Set<string>>();
  const add = (variable: string, reader: string): void => {
    readers.set(variable, (readers.get(variable) ?? new Set()).add(reader));
  };
  for (const { name, settings } of COMMANDS) {
    for (const { env } of Object.values(settings)) if (env !== undefined) add(env, `msg ${name}`);
  }
  for (const folder of packages) {
    const files = readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter(path => path.endsWith('.ts'))) {
      const text = readFileSync(join(root, folder, 'src', file), 'utf8');
      for (const { groups } of text.matchAll(READ)) add(groups?.['name'] ?? '', folder);
    }
  }
  return Object.fromEntries([...readers].map(([name, names]) => [name, [...names]]));
}
