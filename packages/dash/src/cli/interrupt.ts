/** Settles at the first SIGINT or SIGTERM; a second one ends the process as usual. */
export function interrupted(): Promise<NodeJS.Signals> {
  return new Promise(settle => {
    const stop = (signal: NodeJS.Signals): void => {
      process.off('SIGINT', stop).off('SIGTERM', stop);
      settle(signal);
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
  });
}
