/**
 * The folder of the built pages. Its `list.json` names each file with type, SHA-256 and sizes; `index.html` is the one
 * document, in which `{base}` stands for the path of the console. Source: console, section 2.
 */
export const FOLDER: URL = new URL('../dist/web/', import.meta.url);
