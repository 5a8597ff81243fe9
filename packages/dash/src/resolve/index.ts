import { defined } from '@msg/foundation/json';
import type { Catalog, SurfaceEntry } from '../catalog/types.ts';
import { violationsOf } from '../catalog/violations.ts';
import type { JsonObject } from '../document/json.ts';
import type { Manifest } from '../document/types.ts';
import { bindNodes } from './bindings.ts';
import { generateForms } from './configurators.ts';
import { resolveConnections } from './connections.ts';
import { InterpolatedText, type ResolvedItem, withDescendants } from './context.ts';
import { requireDocument } from './envelope.ts';
import { ErrorCollector } from './error-collector.ts';
import { checkGrammar } from './grammar.ts';
import { linkTree } from './link.ts';
import { resolveNode } from './nodes.ts';
import {
  type Override,
  planOverrides,
  requireKnownFields,
  valueInvalid,
  withOverrides,
} from './overrides.ts';
import type { Resolution } from './resolution.ts';
import type { ResolvedTree } from './tree.ts';
import { checkAllDeclarations, declareVariables } from './variables.ts';
import { checkWidgets } from './widgets.ts';

/** Options of a resolution. */
export interface ResolveOptions {
  readonly overrides?: readonly Override[];
  /** Overrides of unknown variables are ignored instead of refused, as for a query string. */
  readonly ignoreUnknownVariables?: boolean;
  /** Variables with the secrets; `process.env` by default. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** True: an unset secret is SECRET_MISSING. */
  readonly requireSecrets?: boolean;
  /** Name of the document in errors; its `manifest.id` by default. */
  readonly source?: string;
}

/**
 * Resolves a document stage by stage: checks it and applies variables, overrides and bindings (dashboard details 10.1).
 * Pure: equal document, catalogue, options and environment give an equal tree. The tree shares parts with the document,
 * so do not change either.
 * @param value the parsed document.
 * @throws DashError the first error of the first failing stage, further ones of that stage in `details.also`.
 */
export function resolveDocument(
  value: unknown,
  catalog: Catalog,
  options: ResolveOptions = {},
): ResolvedTree {
  const overrides = planOverrides(options.overrides ?? []);
  const source = options.source ?? sourceOf(value);
  const document = requireDocument(value, catalog, source);
  const root = linkTree(document.root, catalog, source);
  requireKnownFields(overrides, root, catalog);
  const resolution: Resolution = {
    document,
    catalog,
    source,
    overrides,
    environment: options.environment ?? process.env,
    requireSecrets: options.requireSecrets ?? false,
    built: new InterpolatedText(source),
  };
  checkAllDeclarations(resolution, root, options.ignoreUnknownVariables !== true);
  const scope = declareVariables(resolution, document.variables ?? [], 'doc', new Map());
  const errors = new ErrorCollector();
  const item = resolveNode(resolution, root, scope, errors) as ResolvedItem;
  const head = errors.check(() => resolveHead(resolution));
  errors.throwIfAny();
  checkGrammar(root);
  const connections = resolveConnections(resolution);
  bindNodes(item, connections);
  checkWidgets(item);
  const tree: ResolvedTree = {
    ...(head as Head),
    root: item.resolved,
    ...defined({
      connections: document.connections && [...connections.values()].map(({ resolved }) => resolved),
    }),
    scopeSurfaces: catalog.scopeSurfaces,
    surfaces: surfacesOf(item),
  };
  generateForms(item, tree, resolution.built);
  return tree;
}

interface Head {
  readonly manifest: Manifest;
  readonly defaultTheme?: JsonObject;
}

/** Manifest and theme with the overrides of their scopes. */
function resolveHead({ document, overrides, catalog }: Resolution): Head {
  const change = (
    scope: '$manifest' | '$theme',
    values: JsonObject | undefined,
    validate: Catalog['validateTheme'],
  ) => {
    const fields = overrides.fields.get(scope);
    if (fields === undefined) return values;
    const surface = catalog.scopeSurfaces[scope];
    const target = { node: scope, path: scope.slice(1), surface };
    const changed = withOverrides(values ?? {}, fields, target);
    if (validate(changed)) return changed;
    throw valueInvalid(
      target,
      surface.find(({ field }) => fields.has(field)) as SurfaceEntry,
      violationsOf(validate),
    );
  };
  const manifest = change('$manifest', document.manifest as unknown as JsonObject, catalog.validateManifest);
  const theme = change('$theme', document.theme, catalog.validateTheme);
  return defined({ manifest: manifest as unknown as Manifest, defaultTheme: theme });
}

function surfacesOf(root: ResolvedItem): Record<string, readonly SurfaceEntry[]> {
  const types = new Set([...withDescendants(root)].map(({ linked }) => linked.type));
  return Object.fromEntries(
    [...types].filter(type => type.surface.length > 0).map(type => [type.id, type.surface]),
  );
}

function sourceOf(value: unknown): string {
  const id = (value as { manifest?: { id?: unknown } } | null)?.manifest?.id;
  return typeof id === 'string' ? id.slice(0, 200) : 'document';
}
