/** Answers a request of the app with a value for JSON; `undefined` refuses it. */
export type Route = (query: URLSearchParams) => unknown;

/** By method and path: `POST /session`. */
export type Routes = Readonly<Record<string, Route>>;
