import { expect, it } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import { isJsonObject, type Json, type JsonObject } from '#src/document/json.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { everyState } from './every-state.ts';
import { EXAMPLES } from './examples.ts';
import { scriptedSchemas } from './scripted.ts';

/** Names of the types of all nodes of a document, wherever they stand. */
function* typesIn(value: Json): Generator<string> {
  if (Array.isArray(value)) for (const entry of value) yield* typesIn(entry);
  if (!isJsonObject(value)) return;
  const { id, type } = value;
  if (typeof id === 'string' && typeof type === 'string') yield type.replace(/@.*$/, '');
  for (const member of Object.values(value)) if (member !== undefined) yield* typesIn(member);
}

const typesOf = (documents: readonly JsonObject[]): Set<string> =>
  new Set(documents.flatMap(({ root }) => [...typesIn(root ?? null)]));

it('the pictures show every type that is shipped, and one of its own for each role', () => {
  const shown = typesOf([...EXAMPLES, everyState()]);
  expect([...loadCatalog().items.keys()].filter(type => !shown.has(type))).toEqual([]);
  expect(['shelf', 'card', 'dial', 'gauge'].filter(type => !shown.has(type))).toEqual([]);
});

it('the document of every state resolves', () => {
  const { root } = openDocumentEngine(scriptedSchemas()).resolve(everyState());
  const roles = new Set(
    (root.children ?? []).flatMap(({ role, children = [] }) => [role, ...children.map(c => c.role)]),
  );
  expect([...roles].toSorted()).toEqual(['region', 'widget', 'wrapper']);
});
