/** Build version; a tagged release substitutes its tag. */
export const VERSION = 'dev';
