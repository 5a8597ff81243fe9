import { defined } from '@msg/foundation/json';
import { jsonEqual } from '../document/canonical.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import type { Difference } from './differences.ts';
import type { WordPart } from './differing-words.ts';
import { capital, display, plain, transition } from './phrases.ts';
import { referencesTo } from './references.ts';

const ENTRY_NOUNS: Readonly<Record<string, string>> = { $variables: 'variable', $connections: 'connection' };

/** A variable or a connection: of a renaming, `second` is the declaration under its new name in the document `after`. */
export function entryParts(first: Difference, second: Difference | undefined, after: JsonObject): WordPart[] {
  const noun = ENTRY_NOUNS[first.nodeId] ?? '';
  const name = first.field ?? '';
  if (second !== undefined) {
    const uses = referencesTo(after, first.nodeId, second.field ?? '');
    const count = uses === 1 ? '1 use' : `${uses} uses`;
    return [
      ...plain(`${capital(noun)} `),
      { text: name, mark: 'was' },
      ...plain(' is now called '),
      { text: second.field ?? '', mark: 'is' },
      ...plain(` (${count})`),
    ];
  }
  if (first.kind === 'added') return plain(`Added ${noun} ${name}: ${declaration(first.to)}`);
  if (first.kind === 'removed') return plain(`Removed ${noun} ${name}: ${declaration(first.from)}`);
  return [...plain(`${capital(noun)} ${name}: `), ...declarationParts(first.from, first.to)];
}

/** Member by member, those that differ. */
function declarationParts(from: Json | undefined, to: Json | undefined): WordPart[] {
  if (!isJsonObject(from) || !isJsonObject(to)) return transition(from, to);
  const [old, next] = [settingsOf(from), settingsOf(to)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(next)])];
  const differing = names.filter(name => !jsonEqual(ownMember(old, name), ownMember(next, name)));
  return differing.flatMap((name, index) => [
    ...plain(`${index === 0 ? '' : '; '}${name} `),
    ...transition(ownMember(old, name), ownMember(next, name)),
  ]);
}

/** A declaration with the members of its config beside its own. */
function settingsOf({ config, ...members }: JsonObject): JsonObject {
  return isJsonObject(config) ? { ...members, ...config } : defined({ ...members, config });
}

function declaration(value: Json | undefined): string {
  if (!isJsonObject(value)) return display(value);
  const { name: _name, id: _id, type, ...rest } = value;
  const members = Object.entries(rest).map(([member, content]) => `${member} ${display(content)}`);
  return [display(type), ...members].join(', ');
}
