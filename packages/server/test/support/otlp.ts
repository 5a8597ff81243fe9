/**
 * Reads OTLP/HTTP in its JSON form as the protocol defines it: the JSON mapping of `ExportTraceServiceRequest`, with
 * trace and span ids in hexadecimal, 64-bit numbers as text, enumerations as numbers, names in lowerCamelCase
 * (OpenTelemetry Protocol, "JSON Protobuf Encoding"; opentelemetry/proto/trace/v1). Strict: a member that is not
 * defined, or has another type, throws.
 */
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

type Check = (value: unknown, path: string) => void;

function fail(path: string, wanted: string, value: unknown): never {
  throw new Error(`${path}: expected ${wanted}, got ${JSON.stringify(value)}`);
}

const text: Check = (value, path) => {
  if (typeof value !== 'string') fail(path, 'a string', value);
};
const bool: Check = (value, path) => {
  if (typeof value !== 'boolean') fail(path, 'a boolean', value);
};
const uint32: Check = (value, path) => {
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) >= 2 ** 32)
    fail(path, 'a uint32', value);
};
const fixed64: Check = (value, path) => {
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) fail(path, 'a 64-bit number as text', value);
};
const int64: Check = (value, path) => {
  if (!Number.isSafeInteger(value) && !/^-?\d{1,19}$/.test(String(value))) fail(path, 'an int64', value);
};
const double: Check = (value, path) => {
  if (typeof value !== 'number') fail(path, 'a double', value);
};
const hex =
  (digits: number): Check =>
  (value, path) => {
    if (typeof value !== 'string' || !new RegExp(`^[0-9a-f]{${digits}}$`).test(value) || /^0+$/.test(value))
      fail(path, `${digits} hexadecimal digits, not all 0`, value);
  };
const oneOf =
  (highest: number): Check =>
  (value, path) => {
    if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > highest)
      fail(path, `an enumeration up to ${highest}`, value);
  };
const many =
  (check: Check): Check =>
  (value, path) => {
    if (!Array.isArray(value)) fail(path, 'a list', value);
    for (const [index, item] of (value as unknown[]).entries()) check(item, `${path}[${index}]`);
  };
const message =
  (members: () => Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(path, 'a message', value);
    const given = Object.entries(value as object).filter(([, member]) => member !== undefined);
    for (const [name, member] of given) {
      const check = members()[name];
      if (check === undefined) fail(`${path}.${name}`, 'no such member', member);
      check(member, `${path}.${name}`);
    }
    for (const name of required)
      if (!(name in (value as object))) fail(`${path}.${name}`, 'a member', undefined);
  };

const anyValue: Check = message(() => ({
  stringValue: text,
  boolValue: bool,
  intValue: int64,
  doubleValue: double,
  arrayValue: message(() => ({ values: many(anyValue) })),
  kvlistValue: message(() => ({ values: many(keyValue) })),
  bytesValue: text,
}));
const keyValue: Check = message(() => ({ key: text, value: anyValue }), ['key', 'value']);
const attributes = { attributes: many(keyValue), droppedAttributesCount: uint32 };
const event = message(() => ({ timeUnixNano: fixed64, name: text, ...attributes }));
const link = message(
  () => ({ traceId: hex(32), spanId: hex(16), traceState: text, flags: uint32, ...attributes }),
  ['traceId', 'spanId'],
);
const status = message(() => ({ message: text, code: oneOf(2) }));
const span = message(
  () => ({
    traceId: hex(32),
    spanId: hex(16),
    traceState: text,
    parentSpanId: hex(16),
    flags: uint32,
    name: text,
    kind: oneOf(5),
    startTimeUnixNano: fixed64,
    endTimeUnixNano: fixed64,
    ...attributes,
    events: many(event),
    droppedEventsCount: uint32,
    links: many(link),
    droppedLinksCount: uint32,
    status,
  }),
  ['traceId', 'spanId', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano'],
);
const scope = message(() => ({ name: text, version: text, ...attributes }));
const resource = message(() => ({ ...attributes, entityRefs: many(() => {}) }));
const request = message(
  () => ({
    resourceSpans: many(
      message(() => ({
        resource,
        scopeSpans: many(message(() => ({ scope, spans: many(span), schemaUrl: text }))),
        schemaUrl: text,
      })),
    ),
  }),
  ['resourceSpans'],
);

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface ExportTraceServiceRequest {
  readonly resourceSpans: readonly {
    readonly resource?: { readonly attributes?: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}
interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly KeyValue[];
  readonly status?: { readonly code?: number };
}

const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

const record = (pairs: readonly KeyValue[] = []): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));

/** The spans of one request body. @throws Error for a body that is not of the protocol. */
export function readOtlp(body: string): ReceivedSpan[] {
  const decoded: unknown = JSON.parse(body);
  request(decoded, 'request');
  const { resourceSpans } = decoded as ExportTraceServiceRequest; // just checked
  return resourceSpans.flatMap(group =>
    group.scopeSpans.flatMap(({ spans }) =>
      spans.map(wire => ({
        traceId: wire.traceId,
        spanId: wire.spanId,
        parentSpanId: wire.parentSpanId ?? '',
        name: wire.name,
        kind: KINDS[wire.kind] ?? 'internal',
        start: BigInt(wire.startTimeUnixNano),
        end: BigInt(wire.endTimeUnixNano),
        attributes: record(wire.attributes),
        failed: wire.status?.code === 2,
        resource: record(group.resource?.attributes),
      })),
    ),
  );
}
