import type { FaultProxy, ProxiedConnection } from '@msg/testkit/redis';

/** A moment of an exchange that passes a proxy. */
export interface Moment {
  /** Bytes of the request. */
  readonly request: string;
  /** `sent`: the request has left and does not arrive; `answered`: it was carried out, and its answer does not arrive. */
  readonly when: 'sent' | 'answered';
  /** Bytes of the answer; absent: any answer. */
  readonly answer?: string;
}

/**
 * Strikes once, in the moment in which one of the proxies sees it; resolves to whether it came within the time.
 * @param strike is called before anything else passes, with the index of the proxy
 */
export async function atMoment(
  proxies: readonly FaultProxy[],
  moment: Moment,
  withinMs: number,
  strike: (index: number) => void,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const end = (isHit: boolean): void => {
    for (const proxy of proxies) proxy.tap = undefined;
    resolve(isHit);
  };
  for (const [index, proxy] of proxies.entries()) {
    watch(proxy, moment, () => {
      end(true);
      strike(index);
    });
  }
  const late = setTimeout(() => end(false), withinMs);
  const isHit = await promise;
  clearTimeout(late);
  return isHit;
}

function watch(proxy: FaultProxy, { request, when, answer = '' }: Moment, hit: () => void): void {
  const asked = new Set<ProxiedConnection>();
  proxy.tap = (piece, from, connection) => {
    if (from === 'client') {
      if (!piece.includes(request)) return undefined;
      asked.add(connection);
      if (when === 'answered') return undefined;
    } else if (when === 'sent' || !asked.has(connection) || !piece.includes(answer)) {
      return undefined;
    }
    hit();
    return 'drop';
  };
}
