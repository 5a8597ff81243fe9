import { MsgError } from '@msg/core';

/** The used part of the standard URL, which browsers and Node.js share. */
interface BaseUrl {
  readonly href: string;
  protocol: string;
  port: string;
  search: string;
  hash: string;
}
declare const URL: { new (text: string): BaseUrl; canParse(text: string): boolean };

/** The base as http(s), without query and fragment. @throws MsgError MSG_INVALID_ARGUMENT */
export function baseUrl(endpoint: string): BaseUrl {
  if (!/^(https?|wss?):\/\//i.test(endpoint) || !URL.canParse(endpoint)) {
    throw new MsgError('MSG_INVALID_ARGUMENT', 'endpoint must be an http(s) or ws(s) URL');
  }
  const url = new URL(endpoint.replace(/^ws/i, 'http'));
  url.search = '';
  url.hash = '';
  return url;
}

/** The address of a path below a base. */
export function addressBelow(url: BaseUrl, path: string): string {
  return `${url.href.replace(/\/+$/, '')}/${path}`;
}

/** The address of a path of the service as http(s). @throws MsgError MSG_INVALID_ARGUMENT */
export function addressOf(endpoint: string, path: string): string {
  return addressBelow(baseUrl(endpoint), path);
}
