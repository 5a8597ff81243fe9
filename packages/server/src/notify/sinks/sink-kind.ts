import type { Clock } from '@msg/foundation/clock';
import type { Sink } from './contract.ts';

/** The values of each type of setting. */
export interface SinkSettingTypes {
  readonly text: string;
  /** Address of the destination, `https://host/path`. Kinds check it themselves. */
  readonly url: string;
  readonly list: readonly string[];
  readonly map: Readonly<Record<string, string>>;
  readonly count: number;
  readonly switch: boolean;
  /** Milliseconds; written `250ms`, `1h30m`. */
  readonly duration: number;
}

/** The type of a sink's setting in a configuration file. */
export type SinkSettingType = keyof SinkSettingTypes;

/** One setting of a kind of sink: a key of its entries in the configuration file. */
export interface SinkSetting {
  readonly type: SinkSettingType;
  /** Meaning of the setting, for the configuration page. */
  readonly help: string;
  /** An entry without it, or with an empty one, is MSG_SINK_CONFIG_INVALID. */
  readonly required?: true;
  /** The value is never displayed; of a `map` only the names are. */
  readonly secret?: true;
  /** A working value for a required setting other than a `url`: the exported suite uses it. */
  readonly example?: string;
}

/** The settings of a kind, by their key in the configuration file. */
export type SinkSettings = Readonly<Record<string, SinkSetting>>;

/** The keys of the settings that every entry must have. */
export type RequiredSinkSettings<S extends SinkSettings> = {
  [K in keyof S]: S[K] extends { readonly required: true } ? K : never;
}[keyof S];

/** The values of one entry: all required ones, and the optional ones in the file. */
export type SinkSettingValues<S extends SinkSettings> = {
  readonly [K in RequiredSinkSettings<S>]: SinkSettingTypes[S[K]['type']];
} & {
  readonly [K in Exclude<keyof S, RequiredSinkSettings<S>>]?: SinkSettingTypes[S[K]['type']];
};

/** The input of a sink besides its settings. */
export interface SinkParts {
  /** The name of the entry, which becomes the sink's name. */
  readonly name: string;
  /** The clock of the attempts: use it for every time limit. */
  readonly clock: Clock;
  /** Whether recipients' URLs may lead to addresses that are not public. */
  readonly privateUrls: boolean;
}

/** The module that {@link SinkKind.load} loads: it builds sinks of the kind. */
export interface SinkBuilder {
  /** Builds one sink. Throws MsgError MSG_SINK_CONFIG_INVALID, whose text holds no secret value, for invalid settings. */
  create(settings: Readonly<Record<string, unknown>>, parts: SinkParts): Sink;
}

/** A kind of sink: the row from which configuration, help, checks and the masking of secrets are made. */
export interface SinkKind {
  /** The value of `kind` in the configuration file: lower-case letters, digits and `-`. */
  readonly kind: string;
  readonly settings: SinkSettings;
  /** A valid recipient, which the exported suite uses; absent: `null`. */
  readonly recipient?: unknown;
  /** Loads the kind's module when a configuration has an entry of the kind. */
  load(): Promise<SinkBuilder>;
}

/** Makes the row of a kind of sink. The settings' types give the type of `create`'s argument. */
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
