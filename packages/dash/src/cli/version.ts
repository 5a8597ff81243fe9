/** Build version; a release sets the variable. */
export const VERSION = process.env['DASHDOC_VERSION'] ?? 'dev';
