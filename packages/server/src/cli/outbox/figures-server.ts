import type { RequestListener } from 'node:http';
import type { Clock } from '@msg/foundation/clock';
import { VERSION } from '../../config/version.ts';
import { formatAddress, listen, parseListenAddress } from '../../http/bind.ts';
import { METRICS_CHALLENGE, METRICS_PATH, metricsGuard } from '../../http/metrics-route.ts';
import { closeServer, createOwnServer } from '../../http/own-server.ts';
import { exportGauge } from '../../observability/export-gauge.ts';
import { exportWorkerMetrics } from '../../observability/outbox-metrics.ts';
import { collectDefaultMetrics, Registry } from '../../observability/prometheus.ts';
import { exportSubsystems } from '../../observability/store-metrics.ts';
import type { Outbox } from '../../outbox/outbox.ts';

export interface FiguresServerOptions {
  /** `host:port` */
  readonly address: string;
  /** Bearer of `/metrics`; empty: open. */
  readonly metricsToken: string;
  readonly clock: Clock;
}

/** What a worker in a process of its own serves to Prometheus and to what restarts it. */
export interface FiguresServer {
  /** As bound: `host:port`. */
  readonly address: string;
  close(): Promise<void>;
}

const CLOSE_MS = 1_000;
const TEXT = 'text/plain; charset=utf-8';

/**
 * Serves `/metrics`, `/healthz` and `/readyz` of one worker. Ready: it reaches its database, and the service took the
 * last rows.
 * @throws MsgError MSG_INVALID_ARGUMENT for an address that cannot be bound
 */
export async function serveFigures(
  outbox: Pick<Outbox, 'figures' | 'health'>,
  { address, metricsToken, clock }: FiguresServerOptions,
): Promise<FiguresServer> {
  const server = createOwnServer(answering(outbox, metricsToken), clock);
  const bound = await listen(server, parseListenAddress(address, '--metrics-addr'), '--metrics-addr');
  return { address: formatAddress(bound), close: () => closeServer(server, CLOSE_MS, clock) };
}

function answering(outbox: Pick<Outbox, 'figures' | 'health'>, metricsToken: string): RequestListener {
  const registry = registryOf(outbox);
  const isAllowed = metricsGuard(metricsToken);
  return (request, response) => {
    const answer = (status: number, type: string, text: string, headers = {}): void => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...headers }).end(text);
    };
    const path = (request.url ?? '').split('?')[0];
    const isKnown = path === METRICS_PATH || path === '/healthz' || path === '/readyz';
    if (!isKnown) return answer(404, TEXT, 'not found');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return answer(405, TEXT, 'method not allowed', { allow: 'GET, HEAD' });
    if (path === '/healthz') return answer(200, TEXT, 'ok');
    if (path === '/readyz') {
      const ready = outbox.figures().failure === undefined;
      const state = { ready, subsystems: { outbox: { ...outbox.health(), ok: ready } } };
      return answer(ready ? 200 : 503, 'application/json', JSON.stringify(state));
    }
    if (!isAllowed(request.headers.authorization))
      return answer(401, TEXT, 'unauthorized', METRICS_CHALLENGE);
    registry.metrics().then(
      text => answer(200, registry.contentType, text),
      () => answer(500, TEXT, 'internal error'),
    );
  };
}

function registryOf(outbox: Pick<Outbox, 'figures'>): Registry {
  const registry = new Registry();
  collectDefaultMetrics(registry);
  exportGauge(registry, {
    name: 'msg_build_info',
    help: 'Always 1; the build that runs',
    labels: ['version'],
    cells: () => [[{ version: VERSION }, 1]],
  });
  exportSubsystems(registry, () => [['outbox', outbox.figures().isUp]]);
  exportWorkerMetrics(registry, () => outbox.figures());
  return registry;
}
