/** Entry of `server.allowed_origins`: pages of any loopback origin. */
export const LOOPBACK_ORIGINS = 'loopback';
