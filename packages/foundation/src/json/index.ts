export { type Defined, defined } from './defined.ts';
export { isRecord } from './record.ts';
