/** What a span says about itself besides its name. */
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
  /** How others continue the trace (W3C Trace Context). */
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
 * Spans of one service. Without tracing there is no such object: nothing is loaded, and the cost is the comparison with
 * `undefined`.
 */
export interface Tracing {
  /** The span that the work under way belongs to. */
  readonly current: Span | undefined;
  /** Begins a span that continues the trace of the headers, or a new one. Its owner ends it. */
  begin(spec: SpanSpec, headers: TraceHeaders): Span;
  /** Runs work that belongs to a span, and whatever it awaits. */
  within<T>(span: Span, work: () => T): T;
  /** Runs work in a span below the current one, and ends it with the work; a failure is recorded by its code. */
  span<T>(spec: SpanSpec, work: () => Promise<T>): Promise<T>;
  /** As {@link span} where a span is under way, else only the work: what runs in the background begins no traces. */
  step<T>(spec: SpanSpec, work: () => Promise<T>): Promise<T>;
  /** Sends what was not sent yet, for a moment. Never rejects. Safe to call again. */
  stop(): Promise<void>;
}
