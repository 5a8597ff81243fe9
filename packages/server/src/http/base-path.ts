import type { IncomingMessage } from 'node:http';
import { MsgError } from '@msg/core';
import { pathOf } from './request-context.ts';

const PREFIX = /^(?:\/[\w.~-]+)*$/;

/** A request from which a framework (Express, Connect, Nest) has removed the mount path. */
interface MountedRequest extends IncomingMessage {
  readonly originalUrl?: unknown;
}

/** The path prefix of a service. Source: app-developers 6. */
export class BasePath {
  /** Empty, or `/rt`. */
  readonly prefix: string;

  /** @throws MsgError MSG_INVALID_ARGUMENT for a text that is not a path. */
  constructor(text: string) {
    this.prefix = text === '/' ? '' : text;
    if (!PREFIX.test(this.prefix)) {
      const display = JSON.stringify(text.slice(0, 200));
      throw new MsgError(
        'MSG_INVALID_ARGUMENT',
        `server.base_path must be a path such as /rt, without a slash at its end; got ${display}`,
      );
    }
  }

  /** The path of a request below the prefix, without query; `undefined` for a request outside of it. */
  of(request: MountedRequest): string | undefined {
    const { originalUrl, url } = request;
    const path = pathOf(typeof originalUrl === 'string' ? originalUrl : url);
    const { prefix } = this;
    if (prefix === '') return path;
    return path.startsWith(prefix) && path[prefix.length] === '/' ? path.slice(prefix.length) : undefined;
  }
}
