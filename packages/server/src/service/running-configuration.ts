import { isSet, type RunningSetting } from '../config/running-setting.ts';
import type { MsgOptions } from './options.ts';

/** What a service runs with. */
export interface RunningConfiguration {
  readonly settings: readonly RunningSetting[];
  /** Path of the configuration file; empty without one. */
  readonly source: string;
}

/** Options that are secrets, or hold some in every form. */
const SECRET = new Set(['apiKeys', 'metricsToken']);
/** Members of options whose texts are secrets. */
const SECRET_MEMBER = /secret|password|token|key$|sha256|credential|authorization|username|^url$/i;
/** A password may hold `@`. */
const CREDENTIALS_IN_URL = /\/\/[^/]*@/;
const MAX_DEPTH = 8;

/** The settings of `msg serve`, or the options that an embedder gave. */
export function runningConfiguration(options: MsgOptions): RunningConfiguration {
  const { settings, configSource = '' } = options;
  return { settings: settings ?? embedderSettings(options), source: configSource };
}

/** The options that an embedder gave, without secrets; functions and objects of classes as their kind. */
export function embedderSettings(options: MsgOptions): readonly RunningSetting[] {
  return Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      const secret = SECRET.has(key);
      return {
        key,
        value: secret ? null : displayOf(value, 0),
        source: 'embedder',
        default: null,
        secret,
        is_set: isSet(value),
        help: '',
      };
    });
}

function displayOf(value: unknown, depth: number): unknown {
  if (typeof value === 'function') return '(a function)';
  if (typeof value === 'string') return value.replace(CREDENTIALS_IN_URL, '//[redacted]@');
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value;
  if (depth === MAX_DEPTH) return '(more)';
  if (Array.isArray(value)) return value.map(item => displayOf(item, depth + 1));
  if (!isPlain(value)) return `(a ${value.constructor.name || 'object'})`;
  const members = Object.entries(value).map(([name, member]) => [name, displayOfMember(name, member, depth)]);
  return Object.fromEntries(members);
}

function displayOfMember(name: string, member: unknown, depth: number): unknown {
  return typeof member === 'string' && member !== '' && SECRET_MEMBER.test(name)
    ? '[redacted]'
    : displayOf(member, depth + 1);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
