import type { ClusterView } from '../../realtime/cluster-view.ts';
import { badRequest } from '../errors.ts';
import { textOf } from '../members.ts';
import type { ApiCommands } from './rights.ts';

/** The commands about all nodes. */
export function clusterCommands(
  view: ClusterView,
  maxChannels: number,
): Pick<ApiCommands, 'channels' | 'info'> {
  return {
    async channels(members, { rights }) {
      const counts = await view.channels(textOf(members, 'pattern'), maxChannels);
      if (counts === undefined)
        return badRequest(`more than ${maxChannels} channels match: narrow the pattern`);
      const texts: string[] = [];
      for (const [name, clients] of counts) {
        if (await rights.allows('subscribe', name))
          texts.push(`${JSON.stringify(name)}:{"num_clients":${clients}}`);
      }
      return `{"channels":{${texts.join(',')}}}`;
    },
    async info(_members, { rights }) {
      await rights.requireService();
      return JSON.stringify({ nodes: await view.nodes() });
    },
  };
}
