import { lookupError, lookupItem } from '../catalog/reference.ts';
import type { Catalog } from '../catalog/types.ts';
import { violationsOf } from '../catalog/violations.ts';
import { isJsonObject, ownMember } from '../document/json.ts';
import type { DashNode } from '../document/types.ts';
import { DashError } from '../errors.ts';
import { documentInvalid, type LinkedNode, withDescendants } from './context.ts';
import { ErrorCollector } from './error-collector.ts';

const MAX_NODES = 5_000;
const MAX_DEPTH = 64;

/**
 * Stage 2: finds every node's type, and then checks the content of wrappers (dashboard details 10.1).
 * @throws DashError SCHEMA_REF_UNRESOLVED, SCHEMA_VERSION_MISMATCH, RESOLVE_DOCUMENT_INVALID, RESOLVE_ID_DUPLICATE.
 */
export function linkTree(root: DashNode, catalog: Catalog, source: string): LinkedNode {
  const linker = new Linker(catalog, source);
  const linked = linker.link(root, 'root', 'root', 1);
  linker.errors.throwIfAny();
  requireUniqueIds(linked as LinkedNode);
  return linked as LinkedNode;
}

class Linker {
  readonly errors = new ErrorCollector();
  readonly #catalog: Catalog;
  readonly #source: string;
  #count = 0;

  constructor(catalog: Catalog, source: string) {
    this.#catalog = catalog;
    this.#source = source;
  }

  link(node: DashNode, path: string, slot: LinkedNode['slot'], depth: number): LinkedNode | undefined {
    this.#count++;
    if (this.#count > MAX_NODES)
      throw this.#limit(`The document must be of at most ${MAX_NODES} nodes; got more.`);
    if (depth > MAX_DEPTH) throw this.#limit(`The tree must be at most ${MAX_DEPTH} levels deep; got more.`);
    const lookup = lookupItem(this.#catalog, node);
    if (!('type' in lookup)) {
      this.errors.check(() => {
        throw lookupError(this.#catalog, path, node.id, lookup);
      });
    }
    const contentField = 'type' in lookup ? lookup.type.behavior.contentField : undefined;
    const children = [
      ...this.#children(node, path, depth),
      ...this.#content(node, path, depth, contentField),
    ];
    if (!('type' in lookup)) return undefined;
    return { node, path, type: lookup.type, ref: lookup.ref, slot, children };
  }

  #children(node: DashNode, path: string, depth: number): LinkedNode[] {
    return (node.children ?? [])
      .map((child, index) => this.link(child, `${path}.children[${index}]`, 'child', depth + 1))
      .filter(child => child !== undefined);
  }

  #content(node: DashNode, path: string, depth: number, field: string | undefined): LinkedNode[] {
    const content =
      field === undefined || node.config === undefined ? undefined : ownMember(node.config, field);
    if (!isJsonObject(content)) return [];
    const below = `${path}.${field}`;
    const checked = this.errors.check(() => this.#requireNode(content, below, node.id));
    const linked = checked === undefined ? undefined : this.link(checked, below, 'content', depth + 1);
    return linked === undefined ? [] : [linked];
  }

  #requireNode(content: object, path: string, nodeId: string): DashNode {
    const { validateNode } = this.#catalog;
    if (validateNode(content)) return content as DashNode;
    const violations = violationsOf(validateNode);
    const message = `Content of node "${nodeId}" must be a node; got an object that does not fit the schema of a node.`;
    throw documentInvalid(this.#source, message, { path, nodeId, violations });
  }

  #limit(message: string): DashError {
    return documentInvalid(this.#source, message, { reason: 'limit' });
  }
}

function requireUniqueIds(root: LinkedNode): void {
  const errors = new ErrorCollector();
  for (const [id, nodes] of Map.groupBy(withDescendants(root), ({ node }) => node.id)) {
    if (nodes.length === 1) continue;
    errors.check(() => {
      const paths = nodes.slice(0, 50).map(({ path }) => path);
      throw new DashError(
        'RESOLVE_ID_DUPLICATE',
        `Node id "${id}" is used ${nodes.length} times: ${paths.slice(0, 2).join(' and ')}.`,
        {
          id,
          paths,
        },
      );
    });
  }
  errors.throwIfAny();
}
