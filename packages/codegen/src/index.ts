export { FILES, type GeneratedFile, type GenerateOptions, generate, type Language } from './generate.ts';
export { type PatternSource, readPatterns } from './snapshot.ts';
