export { type Defined, defined } from './defined.ts';
export { isRecord } from './record.ts';
export { EACH, JsonSource, keepSource } from './source.ts';
export { isJsonText } from './text.ts';
