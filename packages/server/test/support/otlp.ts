import definitions from 'otlp-definitions/build/src/generated/root.js';

/** A span as a collector gets it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  /** Attributes of the process that sent it. */
  readonly resource: Readonly<Record<string, unknown>>;
}

interface Definition {
  decode(bytes: Uint8Array): object;
  encode(message: object): { finish(): Uint8Array };
  toObject(message: object, options: object): unknown;
}

/** The official code for the message, generated from the definitions of the protocol. */
const Request: Definition = (
  definitions as unknown as {
    opentelemetry: {
      proto: { collector: { trace: { v1: { ExportTraceServiceRequest: Definition } } } };
    };
  }
).opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
/** `ExportTraceServiceRequest` as {@link Request} decodes it: enumerations by name, fields that were not sent at their defaults. */
interface ExportTraceServiceRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}
interface WireSpan {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly parentSpanId: Uint8Array;
  readonly name: string;
  readonly kind: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly status: { readonly code: string } | null;
}

const KINDS = new Map(
  (['internal', 'server', 'client', 'producer', 'consumer'] as const).map(kind => [
    `SPAN_KIND_${kind.toUpperCase()}`,
    kind,
  ]),
);

/** An id in hexadecimal. Of length and zeros the definitions speak only in words. */
function hexOf(id: Uint8Array, bytes: number): string {
  if (id.length !== bytes || id.every(byte => byte === 0))
    throw new Error(`no id of ${bytes} bytes: [${id}]`);
  return Buffer.from(id).toString('hex');
}

function kindOf(name: string): ReceivedSpan['kind'] {
  const kind = KINDS.get(name);
  if (kind === undefined) throw new Error(`no kind of span: ${name}`);
  return kind;
}

const record = (pairs: readonly KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, plain(Object.entries(value)[0])]));
const plain = ([kind, value]: [string, unknown] = ['', undefined]): unknown =>
  kind === 'intValue' ? Number(value) : value;

/**
 * The spans of one request body of OTLP/HTTP, decoded with the protocol's own definitions.
 * @throws Error for a body that is not of the protocol, also for fields that it does not define.
 */
export function readOtlp(body: Uint8Array): ReceivedSpan[] {
  const message = Request.decode(body);
  // What the definitions do not know is left out when the message is encoded again.
  if (Request.encode(message).finish().length !== body.length)
    throw new Error('a field that the protocol does not define');
  const { resourceSpans } = Request.toObject(message, {
    longs: String,
    enums: String,
    defaults: true,
  }) as ExportTraceServiceRequest; // by the definitions
  return resourceSpans.flatMap(group =>
    group.scopeSpans.flatMap(({ spans }) =>
      spans.map(wire => ({
        traceId: hexOf(wire.traceId, 16),
        spanId: hexOf(wire.spanId, 8),
        parentSpanId: wire.parentSpanId.length === 0 ? '' : hexOf(wire.parentSpanId, 8),
        name: wire.name,
        kind: kindOf(wire.kind),
        start: BigInt(wire.startTimeUnixNano),
        end: BigInt(wire.endTimeUnixNano),
        attributes: record(wire.attributes),
        failed: wire.status?.code === 'STATUS_CODE_ERROR',
        resource: record(group.resource.attributes),
      })),
    ),
  );
}
