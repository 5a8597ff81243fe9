import { formatTimestamp } from '@msg/core/internal';
import type { ClusterNodes } from '../nodes/cluster.ts';
import type { RpcHandlers } from './call.ts';

/** Handler of the list of nodes. */
export function nodeHandlers(nodes: ClusterNodes): Pick<RpcHandlers, 'ListNodes'> {
  return {
    async ListNodes() {
      const report = await nodes.report();
      return {
        nodes: report.nodes,
        hints: report.hints.map(hint => ({ ...hint, since: formatTimestamp(hint.since) })),
        missing_nodes: report.missing,
      };
    },
  };
}
