// For the packages of this repository alone: nothing here is promised to programs.
export { documentOf, type Growth, SeenMessages } from './append-documents.ts';
export { codedError } from './stock-error.ts';
