import { expect, it } from 'vitest';
import { documentEngine } from '#src/reads/document-engine.ts';
import { getNode } from '#src/reads/node.ts';
import { getOutline } from '#src/reads/outline.ts';
import { listSchemas } from '#src/reads/schemas.ts';
import { catalog, teamPulse } from '../resolve/team-pulse.ts';

const engine = documentEngine(catalog);

it('the outline shows resolved titles, and of a broken document the stored ones with the problem', () => {
  const outline = getOutline('team-pulse', teamPulse(), engine);
  expect(JSON.stringify(outline)).toContain('"title":"WEB / last 4 weeks"');
  expect(outline).not.toHaveProperty('problem');
  const broken = teamPulse();
  broken.variables = [];
  const shown = getOutline('team-pulse', broken, engine);
  expect(shown.problem?.code).toBe('VAR_UNDEFINED');
  expect(shown.root.children[1]?.children[0]).toMatchObject({ title: 'Scores', placement: 'col 1, row 1' });
});

it('ids that are not texts break no answer', () => {
  const unfit = { toString: 1, valueOf: 1 };
  const document = teamPulse();
  document.root.id = unfit;
  document.root.children[1].children[0].config.content.id = unfit;
  const outline = getOutline('team-pulse', document, engine);
  expect(outline).toMatchObject({ problem: { code: 'RESOLVE_DOCUMENT_INVALID' }, root: { id: '' } });
  expect(getNode('team-pulse', document, '$root', engine).surfacePath).toBe('/$root/config');
  const { surfacePath } = getNode('team-pulse', document, 'scores-block', engine);
  expect(surfacePath).toBe('/scores-block/config/content/config');
  document.manifest.id = unfit;
  expect(getOutline('team-pulse', document, engine).problem?.code).toBe('STORAGE_ID_MISMATCH');
});

it('a block answers with the surface of its content and a path to it', () => {
  const answer = getNode('team-pulse', teamPulse(), 'scores-block', engine, 'r1');
  expect(answer.surface.map(({ key }) => key)).toEqual(['columns', 'query', 'title']);
  expect(answer).toMatchObject({ surfacePath: '/scores/config', revision: 'r1' });
  expect(answer.ownSurface).toHaveLength(10);
  expect(getNode('team-pulse', teamPulse(), '$variables', engine)).not.toHaveProperty('surfacePath');
});

it('lists the item types in order, then the envelope', () => {
  const { types } = listSchemas(catalog);
  expect(types).toEqual([...[...catalog.items.keys()].toSorted(), 'dashboard']);
});
