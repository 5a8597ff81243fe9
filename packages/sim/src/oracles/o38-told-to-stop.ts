import type { Oracle } from './observations.ts';

export const toldToStop: Oracle = {
  id: 'O38',
  promise: 'a client is told to stop only with 3502, and not before it had 15 s to connect',
  judge({ stops = [] }) {
    return stops.flatMap(({ client, begunUs, atUs, code }) => {
      if (code === STALE && atUs - begunUs >= TO_CONNECT_US) return [];
      const after = `${(atUs - begunUs) / 1000} ms after its attempt began`;
      return [{ oracle: 'O38', atUs, text: `${client} was told to stop with ${code}, ${after}` }];
    });
  },
};

/** The end of a connection whose client did not say `connect` in time. */
const STALE = 3502;
const TO_CONNECT_US = 15_000_000;
