import { NodeTree, pathOf } from '../../changeset/node-tree.ts';
import { credentialsOf } from '../../document/credentials.ts';
import type { JsonObject } from '../../document/json.ts';
import { nodesOf, type ResolvedNode, type ResolvedTree } from '../../resolve/tree.ts';
import type { DocumentEngine } from '../document-engine.ts';
import { overlapsIn } from './overlaps.ts';
import { type TextVariable, textVariables } from './text-variables.ts';
import type { Warning } from './warning.ts';

/** Warnings of one answer; a person who mends these sees the next. */
const MOST_WARNINGS = 50;
/** An address without a host of its own has this one. */
const OWN = 'http://own.invalid';

/** What a document that resolves to `tree` warns about, without asking any connection. */
export function warningsOf(
  document: JsonObject,
  tree: ResolvedTree,
  types: DocumentEngine['types'],
): Warning[] {
  const nodes = new NodeTree(document, types);
  const placeOf = (nodeId: string): { path: string; nodeId: string } => {
    const position = nodes.find(nodeId);
    return { path: position === undefined ? 'root' : pathOf(position), nodeId };
  };
  const resolved = [...nodesOf(tree.root)];
  return [
    ...credentialsOf(document).map(({ at }) => credentialLiteral(dotted(at))),
    ...unsetSecrets(tree),
    ...textVariables(tree, nodes).map(variable => textVariable(variable, placeOf(variable.nodeId))),
    ...resolved.flatMap(overlapsIn).map(({ over, under }) => overlap(over, under, placeOf(over))),
    ...resolved.filter(isRemoteImage).map(({ id }) => imageRemote(id, placeOf(id))),
  ].slice(0, MOST_WARNINGS);
}

function credentialLiteral(path: string): Warning {
  const message = `${path} holds a credential as plain text; write {"$secret": "NAME"} and set the environment variable on the server.`;
  return { code: 'CREDENTIAL_LITERAL', message, path };
}

function unsetSecrets({ connections = [] }: ResolvedTree): Warning[] {
  return connections.flatMap(({ id, missingSecrets = [] }, index) =>
    missingSecrets.map(name => ({
      code: 'SECRET_UNSET' as const,
      message: `Environment variable ${name} is not set; connection "${id}" is not asked without it.`,
      path: `connections[${index}]`,
    })),
  );
}

function textVariable({ variable, type, nodeId }: TextVariable, place: { path: string }): Warning {
  const message = `Variable "${variable}" of type ${type} is put into the query of "${nodeId}" as text and can rewrite it; an enum, number or boolean cannot.`;
  return { code: 'CONNECTION_TEXT_VARIABLE', message, ...place, nodeId };
}

function overlap(over: string, under: string, place: { path: string; nodeId: string }): Warning {
  const message = `Node "${over}" is placed over "${under}".`;
  return { code: 'PLACEMENT_OVERLAP', message, ...place };
}

function imageRemote(id: string, place: { path: string; nodeId: string }): Warning {
  const message = `Picture "${id}" comes from another server, which learns who looks at the page.`;
  return { code: 'IMAGE_REMOTE', message, ...place };
}

function isRemoteImage({ type, config = {} }: ResolvedNode): boolean {
  const { src } = config;
  if (type.name !== 'image' || typeof src !== 'string' || !URL.canParse(src, OWN)) return false;
  const { protocol, origin } = new URL(src, OWN);
  return /^https?:$/.test(protocol) && origin !== OWN;
}

/** `connections[0].config.headers.authorization`. */
function dotted(at: readonly string[]): string {
  return at.reduce(
    (path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`),
    '',
  );
}
