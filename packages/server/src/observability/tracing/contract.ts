/** Attributes of a span. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Which side of an exchange a span is (OpenTelemetry, span kind). */
export type SpanKind = 'server' | 'client' | 'producer' | 'internal';

export interface SpanSpec {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: SpanAttributes;
}

/** One step of a trace. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The header with which others continue the trace (W3C Trace Context). */
  readonly traceparent: string;
  /** Ends a span that {@link Tracing.begin} began. */
  end(outcome: { readonly failed: boolean; readonly attributes: SpanAttributes }): void;
}

/** Headers of a request that may continue a trace. */
export interface TraceHeaders {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/**
 * Spans of one service. Without tracing this object does not exist: no library is loaded, and the cost is a comparison
 * with `undefined`.
 */
export interface Tracing {
  /** The span of the current work. */
  readonly current: Span | undefined;
  /** Starts a span that continues the trace of the headers, or a new trace. The caller ends it. */
  begin(spec: SpanSpec, headers: TraceHeaders): Span;
  /** Runs work, with everything that it awaits, in a span. */
  within<T>(span: Span, work: () => T): T;
  /** Runs work, with everything that it awaits, below a span of another thread; without one, as it is. */
  below<T>(traceparent: string | undefined, work: () => T): T;
  /** Runs work in a span below the current one, and ends it with the work; a failure is recorded by its code. */
  span<T>(spec: SpanSpec, work: () => Promise<T>): Promise<T>;
  /** As {@link span} inside a span, else only the work: background work starts no traces. */
  step<T>(spec: SpanSpec, work: () => Promise<T>): Promise<T>;
  /** Sends the remaining spans within a time limit. Never rejects. Safe to call again. */
  stop(): Promise<void>;
}
