/** What the id of a thread has behind that of its process: its number and its generation (threads 2). */
const THREAD = /\/\d+\.\d+$/;

/** The process of a node: that of a thread, else the node itself. */
export function processOf(nodeId: string): string {
  return nodeId.replace(THREAD, '');
}
