import { publicPackages } from '../packages.ts';
import { failureCodes, wireCodes } from './codes.ts';
import { configuration, variables } from './configuration.ts';
import { dashRoutes, mcp } from './dash.ts';
import { type Declaration, Entries, memberNames, memberPaths } from './entries.ts';
import { programs } from './programs.ts';
import { keys, scripts } from './redis.ts';
import { rpcMethods } from './rpc.ts';
import { service } from './service.ts';
import { sorted } from './sorted.ts';

/** Classes and interfaces whose members users write down, besides the names that are exported. */
const WITH_MEMBERS = ['Msg', 'MsgOptions'];

function exportedNames(entries: Entries): object {
  const kinds = (declarations: readonly Declaration[]): string =>
    [...new Set(declarations.map(({ kind }) => kind))].join(' and ');
  return Object.fromEntries(
    entries
      .published()
      .map(entry => [
        entry,
        Object.fromEntries([...entries.of(entry)].map(([name, declarations]) => [name, kinds(declarations)])),
      ]),
  );
}

function declared(entries: Entries, entry: string, name: string): Declaration {
  const [declaration] = entries.of(entry).get(name) ?? [];
  if (declaration === undefined) throw new Error(`${entry} does not export ${name}`);
  return declaration;
}

/** Everything users hold on to, sorted. */
export async function collect(root: string): Promise<unknown> {
  const packages = publicPackages(root);
  const entries = new Entries(root, packages);
  const shape = (name: string): object =>
    Object.fromEntries(memberPaths(entries, declared(entries, '@msg/core', name)));
  const { node, text } = declared(entries, '@msg/core', 'EnvelopeKind');
  const kinds = [...text.slice(node.start, node.end).matchAll(/'([^']+)'/g)].map(([, kind]) => kind);
  const { routes, metrics } = await service();
  return sorted({
    programs: await programs(root, packages),
    variables: variables(root, packages),
    configuration: configuration(),
    rpc: rpcMethods(),
    http: { msg: routes, dash: await dashRoutes(root) },
    metrics,
    codes: failureCodes(),
    wireCodes: wireCodes(),
    envelope: { members: shape('Envelope'), kinds },
    manifest: shape('ManifestPayload'),
    redis: { keys: await keys(), scripts: scripts(root, packages) },
    mcp: await mcp(root),
    entries: exportedNames(entries),
    members: Object.fromEntries(
      WITH_MEMBERS.map(name => [name, memberNames(declared(entries, '@msg/server', name))]),
    ),
  });
}
