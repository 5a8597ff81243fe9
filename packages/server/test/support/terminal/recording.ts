import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { closeServer } from '@msg/testkit';

interface Answer {
  readonly path: string;
  readonly status: number;
  readonly body: string;
}

/** A server of answers. */
export interface AnswerServer {
  readonly url: string;
  stop(): Promise<void>;
}

async function serve(answerTo: (request: IncomingMessage) => Promise<Answer>): Promise<AnswerServer> {
  const server: Server = createServer((request, response) => {
    answerTo(request).then(
      ({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(body),
      error => response.writeHead(500).end(String(error)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a bound TCP server
    stop: () => closeServer(server),
  };
}

/** Answers of a real service, which several runs of the same command lines get alike. */
export class Recording {
  readonly #answers: Answer[] = [];

  /** Passes requests on to a service and keeps what it answers. */
  record(service: string): Promise<AnswerServer> {
    return serve(async request => {
      const { method = 'GET', url: path = '' } = request;
      const { authorization = '' } = request.headers;
      const body = await text(request);
      const answer = await fetch(service + path, {
        method,
        headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
        ...(method === 'POST' && { body }),
      });
      const kept = { path, status: answer.status, body: await answer.text() };
      this.#answers.push(kept);
      return kept;
    });
  }

  /** Answers the requests of a later run. */
  replay(): Promise<AnswerServer> {
    const left = [...this.#answers];
    return serve(async ({ url = '' }) => {
      const answer = left.shift();
      if (answer?.path !== url) throw new Error(`expected ${answer?.path}; got ${url}`);
      return answer;
    });
  }
}
