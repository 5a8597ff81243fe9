import type { Setting, SettingGroup } from './setting.ts';

/** A key of the file: its own lines, or the keys below it. */
interface Branch {
  readonly lines: string[];
  readonly below: Map<string, Branch>;
}

const INDENT = '  ';

function branch(): Branch {
  return { lines: [], below: new Map() };
}

/** The default as YAML, `undefined` for a setting without one or with a form of its own in files. */
function defaultText({ type, fallback }: Setting<unknown>): string | undefined {
  const fallbackText = type.show(fallback);
  const isScalar =
    typeof fallbackText === 'string' || typeof fallbackText === 'number' || typeof fallbackText === 'boolean';
  if (!isScalar || fallbackText === '' || type.companions !== undefined) return undefined;
  return JSON.stringify(fallbackText);
}

function add(root: Branch, setting: Setting<unknown>): void {
  const { key, env, help } = setting;
  let place = root;
  const names = key.split('.');
  const last = names.pop() ?? '';
  for (const name of names) {
    const next = place.below.get(name) ?? branch();
    place.below.set(name, next);
    place = next;
  }
  const value = defaultText(setting);
  const text = env === undefined ? help : `${help} (env ${env})`;
  place.lines.push(`# ${text}`, value === undefined ? `# ${last}:` : `${last}: ${value}`);
}

function write({ lines, below }: Branch, indent: string): string[] {
  return [
    ...lines.map(line => indent + line),
    ...[...below].flatMap(([name, inner]) => [
      ...(indent === '' ? [''] : []),
      `${indent}${name}:`,
      ...write(inner, indent + INDENT),
    ]),
  ];
}

/** A configuration file (YAML) with those settings at their defaults, each with its meaning; those without one are comments. */
export function settingsTemplate(settings: SettingGroup): string {
  const root = branch();
  for (const setting of Object.values(settings)) add(root, setting);
  return `${write(root, '').join('\n')}\n`;
}
