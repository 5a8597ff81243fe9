import { buildSite } from './site.ts';

/** The site lane looks at the built documentation: it is built once, before any of its files. */
export const setup = buildSite;
