/** The signals of a running server process. */
export interface ProcessSignals {
  /** Aborted by the first SIGINT or SIGTERM; a second one ends the process with code 1 at once. */
  readonly termination: AbortSignal;
  /** Stops listening. */
  dispose(): void;
}

/** Listens for SIGINT, SIGTERM and SIGHUP. */
export function processSignals(onHangup: () => void): ProcessSignals {
  const controller = new AbortController();
  const onTermination = () => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
  };
  process.on('SIGINT', onTermination);
  process.on('SIGTERM', onTermination);
  process.on('SIGHUP', onHangup);
  return {
    termination: controller.signal,
    dispose() {
      process.off('SIGINT', onTermination);
      process.off('SIGTERM', onTermination);
      process.off('SIGHUP', onHangup);
    },
  };
}
