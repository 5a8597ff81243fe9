import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '#src/document/json.ts';
import { exampleNames } from './golden.ts';
import { catalog, resolveWith } from './team-pulse.ts';

const PAGE = readFileSync(
  fileURLToPath(new URL('../../../../docs/dash/documents.md', import.meta.url)),
  'utf8',
);
const [first, ...parts] = [...PAGE.matchAll(/^```json\n(.*?)^```/gms)].map(
  match => JSON.parse(match[1] ?? '') as JsonObject,
);

/** The first document of the page with `part` in its place: members of the document, a block, or a region. */
function withPart(part: JsonObject): JsonObject {
  // biome-ignore lint/suspicious/noExplicitAny: the page's own document is reached into by path
  const document: any = structuredClone(first);
  if (typeof part['id'] !== 'string') {
    for (const [member, added] of Object.entries(part)) document[member].push(...(added as JsonObject[]));
  } else if (part['type'] === 'block') document.root.children[1].children.push(part);
  else document.root.children.push(part);
  return document;
}

describe('the page on documents', () => {
  it('starts with a document that resolves', () => {
    expect(isJsonObject(first?.['root'])).toBe(true);
    expect(resolveWith(first as JsonObject).manifest.id).toBe('team-scores');
  });

  it.each(parts.map(part => [JSON.stringify(part).slice(0, 60), part] as const))(
    'has a part that fits into it: %s',
    (_, part) => {
      expect(resolveWith(withPart(part)).manifest.id).toBe('team-scores');
    },
  );

  it('names every item type, every example and every theme token with its values', () => {
    expect(parts.length).toBeGreaterThan(6);
    for (const name of [...catalog.items.keys(), ...exampleNames]) expect(PAGE).toContain(`\`${name}\``);
    const theme = readFileSync(
      fileURLToPath(new URL('../../schemas/theme/theme.schema.json', import.meta.url)),
      'utf8',
    );
    const tokens = JSON.parse(theme).$defs.baseTokens.properties as Record<string, { enum: string[] }>;
    expect(Object.keys(tokens)).toHaveLength(6);
    for (const [token, { enum: values }] of Object.entries(tokens)) {
      expect(PAGE).toContain(`| \`${token}\` | ${values.map(value => `\`${value}\``).join(' ')} |`);
    }
  });
});
