import { isValidName, MsgError } from '@msg/core';
import { defined } from '@msg/foundation/json';

/** The HTTP API for backends: the server API of Centrifugo v6, so that its server SDKs work as they are. */
export interface ApiOptions {
  /** Default false: every path of the API answers 404. */
  readonly enabled?: boolean;
  /** Path of the API; default `/api`. */
  readonly path?: string;
  /** `auto`: publish, broadcast and subscribe open a channel that is not open; `never`, the default: they fail. */
  readonly openChannels?: 'never' | 'auto';
  /** Prefix of names without `:`, such as `public:app.`; default empty: such names are unknown channels. */
  readonly bareNames?: string;
  /** `transport`: failures have their own HTTP status. Default `default`: 200 with an error object. */
  readonly errorMode?: 'default' | 'transport';
  /** Most commands of a batch; default 1000. */
  readonly maxBatch?: number;
  /** Most channels that `channels` answers; default 10 000. */
  readonly maxChannels?: number;
  /** A key is also accepted as `?api_key=`; default false. */
  readonly allowQueryKey?: boolean;
}

export type ApiSettings = Required<ApiOptions>;

const DEFAULTS: ApiSettings = {
  enabled: false,
  path: '/api',
  openChannels: 'never',
  bareNames: '',
  errorMode: 'default',
  maxBatch: 1000,
  maxChannels: 10_000,
  allowQueryKey: false,
};

const PATH = /^(?:\/[\w.~-]+)+$/;

function invalid(member: string, problem: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', `api.${member} ${problem}`);
}

/**
 * The options with their defaults.
 * @throws MsgError MSG_INVALID_ARGUMENT naming the option.
 */
export function apiSettings(options: ApiOptions = {}): ApiSettings {
  const settings: ApiSettings = { ...DEFAULTS, ...defined(options) };
  const { path, bareNames, maxBatch, maxChannels } = settings;
  if (!PATH.test(path)) throw invalid('path', 'must be a path such as /api, without a slash at its end');
  if (bareNames !== '' && !(bareNames.endsWith('.') && isValidName(`${bareNames}a`)))
    throw invalid('bare_names', 'must hold visibility and app and end with a dot: public:app.');
  if (!(Number.isInteger(maxBatch) && maxBatch > 0)) throw invalid('max_batch', 'must be an integer above 0');
  if (!(Number.isInteger(maxChannels) && maxChannels > 0))
    throw invalid('max_channels', 'must be an integer above 0');
  return settings;
}
