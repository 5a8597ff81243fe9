import { MsgError, type PayloadType } from '@msg/core';
import { PAYLOAD_TYPES, parseSchemaPattern, type SchemaPattern } from '@msg/core/internal';
import { isRecord } from '@msg/foundation/json';

/** The part of a payload schema that the generator uses; other keywords give an unknown type. */
export interface Shape {
  readonly type: PayloadType | undefined;
  readonly required: ReadonlySet<string>;
  /** Ascending by name. */
  readonly properties: readonly (readonly [string, Shape])[];
  readonly items: Shape | undefined;
  readonly description: string;
}

export interface AspectSource {
  readonly name: string;
  readonly description: string;
  /** Absent: any value. */
  readonly shape: Shape | undefined;
}

/** One pattern of a snapshot, for the generator. */
export interface PatternSource {
  readonly pattern: SchemaPattern;
  /** Ascending by name. */
  readonly aspects: readonly AspectSource[];
}

/** Deeper levels get the unknown type, because types of that depth are not readable. */
const MAX_DEPTH = 16;

type JsonObject = Readonly<Record<string, unknown>>;

/** Byte order of UTF-8, the same in every locale. */
function byteOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function shapeOf(schema: JsonObject, depth: number): Shape {
  const { type, required, properties, items } = schema;
  const nested = (value: unknown): Shape | undefined =>
    isRecord(value) && depth < MAX_DEPTH ? shapeOf(value, depth + 1) : undefined;
  const unknown: Shape = {
    type: undefined,
    required: new Set(),
    properties: [],
    items: undefined,
    description: '',
  };
  return {
    type: PAYLOAD_TYPES.find(payloadType => payloadType === type),
    required: new Set(Array.isArray(required) ? required.filter(name => typeof name === 'string') : []),
    properties: (isRecord(properties) ? Object.entries(properties) : [])
      .sort(([a], [b]) => byteOrder(a, b))
      .map(([name, value]) => [name, nested(value) ?? unknown] as const),
    items: nested(items),
    description: text(schema['description']),
  };
}

function aspectsOf(aspects: unknown): readonly AspectSource[] {
  if (!isRecord(aspects)) return [];
  return Object.entries(aspects)
    .sort(([a], [b]) => byteOrder(a, b))
    .map(([name, aspect]) => {
      const members = isRecord(aspect) ? aspect : {};
      const schema = members['payload_schema'];
      return {
        name,
        description: text(members['description']),
        shape: isRecord(schema) ? shapeOf(schema, 1) : undefined,
      };
    });
}

/**
 * Reads the patterns of a snapshot, ascending. It ignores unknown members, so that an older generator works with a newer
 * registry.
 * @throws MsgError MSG_INVALID_ARGUMENT for a document that is not a snapshot, or has an invalid pattern
 */
export function readPatterns(document: unknown): readonly PatternSource[] {
  const patterns = isRecord(document) ? document['patterns'] : undefined;
  if (!Array.isArray(patterns))
    throw new MsgError('MSG_INVALID_ARGUMENT', 'the snapshot has no list of patterns');
  const seen = new Set<string>();
  const sources = patterns.map((value: unknown, index): PatternSource => {
    const patternText = isRecord(value) ? text(value['pattern']) : '';
    const pattern = parseSchemaPattern(patternText.toWellFormed());
    if (seen.has(pattern.text))
      throw new MsgError(
        'MSG_INVALID_ARGUMENT',
        `patterns[${index}]: ${JSON.stringify(patternText)} is there twice`,
      );
    seen.add(pattern.text);
    return { pattern, aspects: aspectsOf(isRecord(value) ? value['aspects'] : undefined) };
  });
  return sources.sort((a, b) => byteOrder(a.pattern.text, b.pattern.text));
}
