import { errors, jwtVerify } from 'jose';

/** What the suites sign their tokens with. */
export const SECRET = new TextEncoder().encode('secret');

/** Claims of a good token; other members are ignored. */
export interface Claims {
  readonly sub: string;
  readonly channel: string | undefined;
}

/** Verifies an HS256 token of the suites: its claims, or what is wrong with it. */
export async function verify(token: string): Promise<Claims | 'expired' | 'invalid'> {
  try {
    const { payload } = await jwtVerify(token, SECRET, { algorithms: ['HS256'] });
    const { sub = '', channel } = payload;
    return { sub, channel: typeof channel === 'string' ? channel : undefined };
  } catch (error) {
    return error instanceof errors.JWTExpired ? 'expired' : 'invalid';
  }
}
