import { defined } from '@msg/foundation/json';
import type { Catalog } from '../catalog/types.ts';
import { ownMember } from '../document/json.ts';
import { listDashboards } from '../reads/list.ts';
import { listSchemas } from '../reads/schemas.ts';
import type { DashTool, ToolContext } from './tool.ts';

const MOST_DASHBOARDS = 50;
const WRITE_ENDPOINT = 'POST /api/patch';
const EMPTY_HINT = 'No dashboard is stored yet: dash_validate_patch with create: true makes the first one.';

/** `dash_get_manifest`: an overview of the service, from the live registry and catalogue (dashboard details 14.2). */
export const MANIFEST_TOOL: DashTool = {
  name: 'dash_get_manifest',
  title: 'Start here',
  description: 'Read first: tools, item types, connection types, skills, dashboards and capabilities',
  takes: {},
  outputSchema: {
    type: 'object',
    required: [
      ...[
        'server',
        'version',
        'formatVersion',
        'tools',
        'itemTypes',
        'connectionTypes',
        'skills',
        'dashboards',
      ],
      ...['dashboardCount', 'store', 'capabilities'],
    ],
  },
  run: async (_args, { store, engine: { catalog }, skills, version, review, queries }, { tools }) => {
    const { dashboards } = await listDashboards(store);
    const { kind, capabilities } = store;
    return {
      server: 'dash',
      version,
      formatVersion: formatVersion(catalog),
      tools: tools.map(({ name, description }) => ({ name, description: firstLine(description) })),
      itemTypes: listSchemas(catalog).types,
      connectionTypes: connectionTypes(catalog),
      skills: [...skills.values()].map(({ name, description }) => ({ name, description })),
      dashboards: dashboards.slice(0, MOST_DASHBOARDS),
      dashboardCount: dashboards.length,
      store: { kind, revisions: capabilities.has('revisions'), history: capabilities.has('history') },
      capabilities: {
        read: true,
        simulate: true,
        persist: false,
        create: true,
        writeEndpoint: WRITE_ENDPOINT,
        ...defined({ reviewUrl: review?.address, queries: originsOf(queries) }),
      },
      ...defined({ hint: dashboards.length === 0 ? EMPTY_HINT : undefined }),
    };
  },
};

/** Origins that may be asked; undefined where the process was started without any. */
function originsOf(queries: ToolContext['queries']): readonly string[] | undefined {
  return queries === undefined || queries.origins.length === 0 ? undefined : queries.origins;
}

/** Version of the envelope that the catalogue carries, the last segment of its `$id`. */
function formatVersion({ envelope }: Catalog): string {
  return String(ownMember(envelope, '$id')).split('/').at(-1) ?? '';
}

function connectionTypes({ connections }: Catalog) {
  return [...connections.keys()].sort().map(name => {
    const description = ownMember(connections.get(name)?.[0]?.schema ?? {}, 'description');
    return { name, description: typeof description === 'string' ? description : '' };
  });
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/\.$/, '');
}
