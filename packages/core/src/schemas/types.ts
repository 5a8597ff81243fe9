/** The types a payload schema can name (messaging details 14.1). */
export const PAYLOAD_TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;
/** The JSON types that a schema knows. */
export type PayloadType = (typeof PAYLOAD_TYPES)[number];

/** The part of JSON Schema that describes payloads. */
export interface PayloadSchema {
  readonly type?: PayloadType;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, PayloadSchema>>;
  readonly items?: PayloadSchema;
  readonly additionalProperties?: boolean | PayloadSchema;
  readonly enum?: readonly unknown[];
  readonly description?: string;
}

/** One kind of publication of a channel pattern. */
export interface Aspect {
  readonly name: string;
  readonly description?: string;
  readonly payload_schema?: PayloadSchema;
  readonly required?: boolean;
}

/** Publishers and subscribers, as information for people. */
export interface SchemaAcl {
  readonly publish_roles?: readonly string[];
  readonly subscribe_roles?: readonly string[];
  readonly notes?: string;
}

/** The schema of the channels of one pattern. */
export interface ChannelPattern {
  readonly pattern: string;
  readonly description?: string;
  /** 0: the registry assigns the next version. */
  readonly version: number;
  readonly aspects: Readonly<Record<string, Aspect>>;
  readonly acl?: SchemaAcl;
}

/** The whole registry at one moment; patterns ascending. */
export interface SchemaSnapshot {
  readonly patterns: readonly ChannelPattern[];
  /** RFC 3339. */
  readonly at: string;
}

/** One broadcast mutation of the registry. */
export interface SchemaChange {
  readonly kind: 'registered' | 'updated' | 'deregistered';
  readonly pattern: string;
  /** Absent on `deregistered`. */
  readonly schema?: ChannelPattern;
  /** RFC 3339. */
  readonly at: string;
}

/** Default channel of a registry's mutations (messaging details 14.3). */
export const SCHEMA_CHANNEL = 'public:msg.registry.schemas';
