import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import { nodeTypes } from '#src/catalog/reference.ts';
import type { ChangesetContext } from '#src/changeset/applied.ts';
import { dryRunChangeset } from '#src/changeset/pipeline.ts';
import { DashError } from '#src/errors.ts';
import { DASH_TOOLS } from '#src/mcp/server.ts';
import { loadSkills, readSkill, requireSkill, SKILL_DIRECTORY } from '#src/mcp/skills.ts';
import { resolveDocument } from '#src/resolve/index.ts';
import { FileStore } from '#src/store/file-store.ts';
import { TYPE_SECTIONS } from '../data/connections-page.ts';

const catalog = loadCatalog({ dir: resolve(SKILL_DIRECTORY, '../schemas') });
const skills = loadSkills();

/** The example documents are only read: a dry run writes nothing. */
const context: ChangesetContext<unknown> = {
  store: new FileStore({ root: resolve(SKILL_DIRECTORY, '../fixtures') }),
  types: nodeTypes(catalog),
  resolve: document => resolveDocument(document, catalog, { environment: {} }),
};

interface Example {
  readonly skill: string;
  /** Words after the fence: what the example is, and of what. */
  readonly label: string;
  readonly text: string;
}

const examples: Example[] = [...skills.values()].flatMap(({ name, body }) =>
  [...body.matchAll(/^```json ?(.*)\n([\s\S]*?)^```$/gm)].map(([, label = '', text = '']) => ({
    skill: name,
    label,
    text,
  })),
);

async function codeOf(id: string, ops: unknown): Promise<string> {
  try {
    await dryRunChangeset(context, { id, ops });
    return 'ok';
  } catch (error) {
    if (error instanceof DashError) return error.code;
    throw error;
  }
}

describe('the skill pack', () => {
  it('holds exactly the skills that a session needs', () => {
    const expected =
      'authoring-loop blocks connections custom-item-types items-content items-forms items-inputs items-layout ' +
      'patch-authoring placement-grid revisions session-bootstrap theming variables';
    expect([...skills.keys()]).toEqual(expected.split(' '));
  });

  it('publishes every file of its folder', async () => {
    const files = await readdir(SKILL_DIRECTORY);
    expect(files.map(file => basename(file, '.md')).sort()).toEqual([...skills.keys()]);
  });

  it('names only tools that exist, and every one of them somewhere', () => {
    const named = new Set([...skills.values()].flatMap(skill => skill.applies_to));
    expect([...named].sort()).toEqual(DASH_TOOLS.map(({ name }) => name).sort());
  });

  it('covers every item type in exactly one skill of items', () => {
    const items = [...skills.values()].filter(({ kind }) => kind === 'items');
    const covered = items.flatMap(({ covers }) => covers ?? []);
    expect(covered.sort()).toEqual([...catalog.items.keys()].sort());
  });

  it('names every skill that it sends a reader to', () => {
    const bodies = [...skills.values()].map(({ body }) => body).join('\n');
    const named = [...bodies.matchAll(/skills? (`[a-z-]+`(?:,? (?:and )?`[a-z-]+`)*)/g)];
    const references = named.flatMap(([, list = '']) =>
      [...list.matchAll(/[a-z][a-z-]+/g)].map(([name]) => name),
    );
    expect(references.filter(name => name !== 'and' && !skills.has(name))).toEqual([]);
    expect(references.length).toBeGreaterThan(4);
  });

  it('lists the name nearest to an unknown one first', () => {
    try {
      requireSkill(skills, 'block');
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'MCP_SKILL_NOT_FOUND', details: { name: 'block' } });
      expect((error as { details: { known: string[] } }).details.known[0]).toBe('blocks');
    }
  });
});

describe('examples in skills', () => {
  it('are many, and each says what it is', () => {
    expect(examples.length).toBeGreaterThan(40);
    const legal =
      /^(changeset [a-z-]+( fails [A-Z_]+)?|create [a-z-]+|config [a-z-]+|commit|schema [a-z-]+|(connection|query|answer|rows) [a-z]+)$/;
    expect(examples.filter(({ label }) => !legal.test(label))).toEqual([]);
    expect([...skills.values()].filter(({ body }) => /^```(?!json |$)/m.test(body))).toEqual([]);
  });

  const changesets = examples.filter(({ label }) => label.startsWith('changeset '));
  it.each(changesets)('$skill: $label', async ({ label, text }) => {
    const [, id = '', , code = 'ok'] = label.split(' ');
    expect(await codeOf(id, JSON.parse(text))).toBe(code);
  });

  const creations = examples.filter(({ label }) => label.startsWith('create '));
  it.each(creations)('$skill: $label', async ({ label, text }) => {
    const id = label.split(' ')[1] ?? '';
    expect(await dryRunChangeset(context, { id, ops: JSON.parse(text), create: true })).toMatchObject({
      preview: { manifest: { id } },
    });
  });

  it('has one whole dashboard in the first skill, which is short', () => {
    expect(skills.get('session-bootstrap')?.body.length).toBeLessThanOrEqual(6_000);
    expect(creations.map(({ skill }) => skill)).toEqual(['session-bootstrap']);
  });

  const configs = examples.filter(({ label }) => label.startsWith('config '));
  it.each(configs)('$skill: $label', ({ label, text }) => {
    const type = catalog.items.get(label.split(' ')[1] ?? '')?.[0];
    expect(type?.validate(JSON.parse(text)), JSON.stringify(type?.validate.errors)).toBe(true);
  });

  const connections = examples.filter(({ label }) => label.startsWith('connection '));
  it.each(connections)('$skill: $label', async ({ label, text }) => {
    const value = JSON.parse(text) as { type: string };
    expect(value.type).toBe(label.split(' ')[1]);
    expect(await codeOf('team-pulse', [{ op: 'add', path: '/$connections/-', value }])).toBe('ok');
  });

  it('has every connection type that asks, each as the page on connections has it, which runs them', () => {
    const shown = (type: string, labels: readonly string[]) =>
      labels.map(label => examples.find(example => example.label === `${label} ${type}`)?.text ?? 'null');
    expect(connections.map(({ label }) => label.split(' ')[1]).toSorted()).toEqual(
      TYPE_SECTIONS.map(({ name }) => name).toSorted(),
    );
    for (const { name, blocks } of TYPE_SECTIONS) {
      const said = shown(name, ['connection', name === 'sql' ? 'query' : 'answer', 'rows']);
      expect(said.map(text => JSON.parse(text))).toEqual(blocks.slice(0, 3));
    }
  });

  const commits = examples.filter(({ label }) => label === 'commit');
  it.each(commits)('$skill: $label', async ({ text }) => {
    const { id, ops, expectedRevision, ...rest } = JSON.parse(text) as Record<string, string>;
    expect(rest).toEqual({});
    expect(expectedRevision).toEqual(expect.any(String));
    expect(await codeOf(id ?? '', ops)).toBe('ok');
  });

  const schemas = examples.filter(({ label }) => label.startsWith('schema '));
  it.each(schemas)('$skill: $label', async ({ label, text }) => {
    const name = label.split(' ')[1] ?? '';
    const directory = await mkdtemp(join(tmpdir(), 'dash-schema-'));
    try {
      await mkdir(join(directory, 'items'));
      await writeFile(join(directory, 'items', `${name}.schema.json`), text);
      const type = loadCatalog({ dir: directory }).items.get(name)?.[0];
      const { examples: given } = JSON.parse(text) as { examples: unknown[] };
      expect(given.map(example => type?.validate(example))).toEqual([true]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe('a file that is not a skill', () => {
  const front = (lines: string) => `---\n${lines}\n---\n# Text\n`;
  const whole = 'name: x\ndescription: d\ntype: guide\nkind: tool\napplies_to: a, b';

  it('may list with or without brackets', () => {
    expect(readSkill('x.md', front(whole)).applies_to).toEqual(['a', 'b']);
    expect(readSkill('x.md', front(whole.replace('a, b', '[a, b]'))).applies_to).toEqual(['a', 'b']);
  });

  it.each([
    ['no front matter', '# Text\n', /no front matter/],
    ['a key missing', front(whole.replace('kind: tool\n', '')), /without kind/],
    ['another name', front(whole.replace('name: x', 'name: y')), /name is "y"/],
    ['an unknown type', front(whole.replace('guide', 'poem')), /unknown type/],
    ['an unknown kind', front(whole.replace('tool', 'magic')), /unknown kind/],
    ['a broken line', front(`${whole}\nnonsense`), /line of front matter/],
  ])('is refused for %s', (_name, body, reason) => {
    expect(() => readSkill('x.md', body)).toThrow(reason);
  });
});

it('the example document of the skills is the one that ships with the tests of this package', async () => {
  const fixture = await readFile(resolve(SKILL_DIRECTORY, '../fixtures/team-pulse.json'), 'utf8');
  expect(JSON.parse(fixture)).toMatchObject({ manifest: { id: 'team-pulse' } });
});
