// Loaded into an attacked program before anything else: SIGUSR2 collects all garbage.
process.on('SIGUSR2', () => void globalThis.gc?.());
