import { watch } from 'node:fs';

/**
 * Calls back when a file of a folder may have changed, until the answered function is called. A folder that does not
 * exist, a system without such events and a network file system give none: a caller that must not miss a change polls, too.
 */
export function watchFolder(folder: string, onChange: () => void): () => void {
  try {
    const watcher = watch(folder, { persistent: false }, () => onChange());
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
