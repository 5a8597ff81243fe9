import { AsyncLocalStorage } from 'node:async_hooks';
import { MsgError } from '@msg/core';
import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { withDeadline } from '@msg/foundation/promises';
import * as api from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from '../logger.ts';
import type { Span, SpanAttributes, SpanKind, SpanSpec, TraceHeaders, Tracing } from './contract.ts';

/** Path of traces below an endpoint, by the OTLP standard. */
const TRACES_PATH = '/v1/traces';
/** How often finished spans are sent. */
const SEND_EVERY_MS = 1000;
/** Time limit of one export; a shutdown waits less. */
const EXPORT_MS = 2000;
const STOP_MS = 800;

const KINDS: Readonly<Record<SpanKind, api.SpanKind>> = {
  server: api.SpanKind.SERVER,
  client: api.SpanKind.CLIENT,
  producer: api.SpanKind.PRODUCER,
  internal: api.SpanKind.INTERNAL,
};

export interface OtlpOptions {
  /** Base address of a collector, `http://collector:4318`, or the full address that ends in `/v1/traces`. */
  readonly endpoint: string;
  readonly version: string;
  /** Empty: none. */
  readonly region: string;
  /** The number of the thread, for the attribute `thread` of its spans; absent in main. */
  readonly thread?: number;
  readonly logger: Logger;
  /** Clock of the stop's deadline; the export library uses the system's time. */
  readonly clock: Clock;
}

/** @throws MsgError MSG_INVALID_ARGUMENT unless the address is http or https. */
export function tracesUrl(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      'observability.otlp_endpoint: must be an http or https address',
    );
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith(TRACES_PATH) ? path : path + TRACES_PATH;
  return url.href;
}

class OtlpSpan implements Span {
  readonly span: api.Span;
  readonly traceId: string;

  constructor(span: api.Span) {
    this.span = span;
    this.traceId = span.spanContext().traceId;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  end({ failed, attributes }: { readonly failed: boolean; readonly attributes: SpanAttributes }): void {
    this.span.setAttributes({ ...attributes });
    if (failed) this.span.setStatus({ code: api.SpanStatusCode.ERROR });
    this.span.end();
  }
}

/**
 * The type of a failure: its code, or the code of its cause. The message is left out, because it may hold private data.
 */
function errorType(error: unknown): string {
  if (error instanceof MsgError) return error.code;
  if (!(error instanceof Error)) return typeof error;
  return error.cause instanceof MsgError ? error.cause.code : error.name;
}

const PARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/;

/** The caller's span; `undefined` when the headers have none. */
function remoteParent({ traceparent = '', tracestate }: TraceHeaders): api.SpanContext | undefined {
  const [, traceId, spanId, flags] = PARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const parent: api.SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & api.TraceFlags.SAMPLED,
    isRemote: true,
    ...defined({ traceState: tracestate === undefined ? undefined : api.createTraceState(tracestate) }),
  };
  return api.isSpanContextValid(parent) ? parent : undefined;
}

/** Logs once that spans cannot be sent, and once that they can again. */
class ReportingExporter implements SpanExporter {
  readonly #inner: OTLPTraceExporter;
  readonly #logger: Logger;
  #failing = false;

  constructor(inner: OTLPTraceExporter, logger: Logger) {
    this.#inner = inner;
    this.#logger = logger;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.#inner.export(spans, result => {
      const failed = result.error !== undefined || result.code !== 0;
      if (failed && !this.#failing) {
        // The text of the error may quote the collector.
        this.#logger.warn({ error: result.error?.name ?? 'refused' }, 'traces cannot be sent');
      } else if (!failed && this.#failing) this.#logger.info({}, 'traces are sent again');
      this.#failing = failed;
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }
}

/**
 * Sends spans to a collector over OTLP/HTTP in Protobuf, which every collector accepts. It registers nothing globally, so
 * two services in one process do not interfere. A caller's `traceparent` decides about sampling; traces that start here
 * are sampled. Source: messaging details, section 19.
 */
export class OtlpTracing implements Tracing {
  readonly #clock: Clock;
  /** Of every span. */
  readonly #attributes: SpanAttributes;
  readonly #provider: TracerProvider;
  readonly #tracer: api.Tracer;
  readonly #storage = new AsyncLocalStorage<OtlpSpan>();

  /** @throws MsgError MSG_INVALID_ARGUMENT for a bad endpoint. */
  constructor({ endpoint, version, region, thread, logger, clock }: OtlpOptions) {
    this.#clock = clock;
    this.#attributes = defined({ thread });
    const exporter = new OTLPTraceExporter({ url: tracesUrl(endpoint), timeoutMillis: EXPORT_MS });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': 'msg',
        'service.version': version,
        ...defined({ 'cloud.region': region === '' ? undefined : region }),
      }),
      sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: new ReportingExporter(exporter, logger),
          scheduledDelayMillis: SEND_EVERY_MS,
          exportTimeoutMillis: EXPORT_MS,
        }),
      ],
    });
    this.#tracer = this.#provider.getTracer('@msg/server', version);
  }

  get current(): Span | undefined {
    return this.#storage.getStore();
  }

  begin(spec: SpanSpec, headers: TraceHeaders): Span {
    const parent = remoteParent(headers);
    const context =
      parent === undefined ? api.ROOT_CONTEXT : api.trace.setSpanContext(api.ROOT_CONTEXT, parent);
    return this.#start(spec, context);
  }

  #start({ name, kind, attributes }: SpanSpec, context: api.Context): OtlpSpan {
    const options = { kind: KINDS[kind], attributes: { ...this.#attributes, ...attributes } };
    return new OtlpSpan(this.#tracer.startSpan(name, options, context));
  }

  within<T>(span: Span, work: () => T): T {
    return this.#storage.run(span as OtlpSpan, work); // this object made the span
  }

  below<T>(traceparent: string | undefined, work: () => T): T {
    const parent = remoteParent({ traceparent });
    return parent === undefined ? work() : this.within(new OtlpSpan(api.trace.wrapSpanContext(parent)), work);
  }

  async span<T>(spec: SpanSpec, work: () => Promise<T>): Promise<T> {
    const above = this.#storage.getStore();
    const context = above === undefined ? api.ROOT_CONTEXT : api.trace.setSpan(api.ROOT_CONTEXT, above.span);
    const span = this.#start(spec, context);
    try {
      const result = await this.#storage.run(span, work);
      span.end({ failed: false, attributes: {} });
      return result;
    } catch (error) {
      span.end({ failed: true, attributes: { 'error.type': errorType(error) } });
      throw error;
    }
  }

  step<T>(spec: SpanSpec, work: () => Promise<T>): Promise<T> {
    return this.#storage.getStore() === undefined ? work() : this.span(spec, work);
  }

  async stop(): Promise<void> {
    const sent = this.#provider.shutdown().catch(() => {});
    await withDeadline(this.#clock, STOP_MS, sent, () => {});
  }
}
