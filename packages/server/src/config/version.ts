/** Version of the build: `dev` in a checkout. `npm run pack` writes that of the package, a container image its own. */
export const VERSION = 'dev';
