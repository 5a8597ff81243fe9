import type { Clock } from '@msg/foundation/clock';
import type { Sink } from './contract.ts';

/** The values of each type of setting. */
export interface SinkSettingTypes {
  readonly text: string;
  /** Where the destination is: `https://host/path`. Kinds check it themselves. */
  readonly url: string;
  readonly list: readonly string[];
  readonly map: Readonly<Record<string, string>>;
  readonly count: number;
  readonly switch: boolean;
  /** Milliseconds; written `250ms`, `1h30m`. */
  readonly duration: number;
}

/** How a setting of a sink is written: its type in a configuration file. */
export type SinkSettingType = keyof SinkSettingTypes;

/** One setting of a kind of sink, a key of its entries in the configuration file. */
export interface SinkSetting {
  readonly type: SinkSettingType;
  /** What it means, for the page of the configuration. */
  readonly help: string;
  /** An entry without it, or with an empty one, is MSG_SINK_CONFIG_INVALID. */
  readonly required?: true;
  /** Never shown; of a `map` the names are. */
  readonly secret?: true;
  /** A value that works, for what is required and not a `url`: the exported suite runs with it. */
  readonly example?: string;
}

/** The settings of a kind, by their key in the configuration file. */
export type SinkSettings = Readonly<Record<string, SinkSetting>>;

/** The keys of the settings that every entry must have. */
export type RequiredSinkSettings<S extends SinkSettings> = {
  [K in keyof S]: S[K] extends { readonly required: true } ? K : never;
}[keyof S];

/** The values of one entry: every required one, and those others that the file has. */
export type SinkSettingValues<S extends SinkSettings> = {
  readonly [K in RequiredSinkSettings<S>]: SinkSettingTypes[S[K]['type']];
} & {
  readonly [K in Exclude<keyof S, RequiredSinkSettings<S>>]?: SinkSettingTypes[S[K]['type']];
};

/** What a sink is built with besides its settings. */
export interface SinkParts {
  /** The name of the entry, which the sink must have. */
  readonly name: string;
  /** Times the attempts: use it for every time limit. */
  readonly clock: Clock;
  /** URLs that callers name may lead to addresses that are not public. */
  readonly privateUrls: boolean;
}

/** What {@link SinkKind.load} loads: a module that builds sinks of the kind. */
export interface SinkBuilder {
  /**
   * Builds one sink. Throws a MsgError MSG_SINK_CONFIG_INVALID whose text holds no value of a secret setting when the
   * settings cannot work.
   */
  create(settings: Readonly<Record<string, unknown>>, parts: SinkParts): Sink;
}

/** A kind of sink: a row, of which configuration, help, checks and the masking of secrets are made. */
export interface SinkKind {
  /** The value of `kind` in the configuration file: lower-case letters, digits and `-`. */
  readonly kind: string;
  readonly settings: SinkSettings;
  /** A recipient that its sinks take; absent: they take `null`. The exported suite sends to it. */
  readonly recipient?: unknown;
  /** Called when a configuration has an entry of the kind: what only its sinks need is loaded here. */
  load(): Promise<SinkBuilder>;
}

/** The row of a kind of sink. The settings' types decide what `create` is given. */
export function sinkKind<const S extends SinkSettings>(row: {
  readonly kind: string;
  readonly settings: S;
  readonly recipient?: unknown;
  readonly load: () => Promise<{
    create(settings: SinkSettingValues<S>, parts: SinkParts): Sink;
  }>;
}): SinkKind {
  if (!/^[a-z][a-z0-9-]*$/.test(row.kind) || 'kind' in row.settings)
    throw new TypeError(`sink kind ${JSON.stringify(row.kind)} must be a word, and "kind" not a setting`);
  // Values are read by the same settings that type them.
  return row as SinkKind;
}
