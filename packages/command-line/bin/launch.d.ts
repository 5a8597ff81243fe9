/**
 * Starts a program: `main` of `dist/cli/main.js` of the package that `bin` belongs to, after the version of Node.js is
 * checked.
 * @param name of the program
 * @param bin address (`import.meta.url`) of the file in the package's `bin` that calls this
 * @param prefix what stands before the program's errors
 */
export function launch(name: string, bin: string, prefix: string): Promise<void>;
