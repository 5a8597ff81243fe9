export { type ModelFlaws, type ModelRow, ModelStore } from './model-store.ts';
