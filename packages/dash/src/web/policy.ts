import type { Random } from '@msg/foundation/clock';

/** What a page of dash may load and run (page and review 1.6). */
export interface PagePolicy {
  /** Value of `content-security-policy`. */
  readonly header: string;
  /** Of the one style element of the page. */
  readonly nonce: string;
}

const NONCE_BYTES = 16;

/**
 * The policy of one answer: own scripts and styles, no inline ones but the rules under the nonce, no foreign frame
 * around it, and HTML from text only through the policy `dash` of the page's script.
 * @param pictures `own` on pages of proposals, which come from anywhere: a picture of elsewhere is not loaded.
 */
export function pagePolicy(random: Random, pictures: 'all' | 'own' = 'all'): PagePolicy {
  const nonce = Buffer.from(random.bytes(NONCE_BYTES)).toString('base64url');
  const header = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data:${pictures === 'all' ? ' http: https:' : ''}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types dash',
  ].join('; ');
  return { header, nonce };
}
