/** Every partition is a PUB/SUB connection of every node. */
export const MAX_PARTITIONS = 1024;

/** Whether a number of partitions of sharded PUB/SUB is allowed; 0 is off. */
export function isPartitionCount(count: number): boolean {
  return Number.isInteger(count) && count >= 0 && count <= MAX_PARTITIONS;
}

/** @throws RangeError for more than MAX_PARTITIONS, and for partitions without a cluster. */
export function checkPartitions(count: number, cluster: boolean): void {
  if (!isPartitionCount(count))
    throw new RangeError(`${count} partitions: a whole number up to ${MAX_PARTITIONS}`);
  if (count > 0 && !cluster) throw new RangeError('only a cluster has sharded PUB/SUB');
}
