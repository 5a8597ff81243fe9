import type { ClusterView } from '../../realtime/cluster-view.ts';
import type { ApiCommand } from '../command.ts';
import { badRequest } from '../errors.ts';
import { textOf } from '../members.ts';

/** The commands about all nodes. */
export function clusterCommands(
  view: ClusterView,
  maxChannels: number,
): Readonly<Record<string, ApiCommand>> {
  return {
    async channels(members, { rights }) {
      const counts = await view.channels(textOf(members, 'pattern'), maxChannels);
      if (counts === undefined)
        return badRequest(`more than ${maxChannels} channels match: narrow the pattern`);
      const shown: string[] = [];
      for (const [name, clients] of counts) {
        if (await rights.allows('subscribe', name))
          shown.push(`${JSON.stringify(name)}:{"num_clients":${clients}}`);
      }
      return `{"channels":{${shown.join(',')}}}`;
    },
    async info(_members, { rights }) {
      await rights.requireService();
      return JSON.stringify({ nodes: await view.nodes() });
    },
  };
}
