import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeServer } from '@msg/testkit';
import type { Page, Request } from 'playwright-core';
import type { Service } from './service.ts';
import { Visit } from './visit.ts';

const RPC = '/console/twirp/msg.MsgService/';
/** What a stranger asks for. */
export const PATHS = [
  '/console/',
  '/console/session',
  '/console/session/unlock',
  '/console/session/lock',
  '/console/session/end',
  '/console/login/oidc',
  '/console/login/callback',
  `${RPC}WhoAmI`,
  `${RPC}ListChannels`,
  `${RPC}OpenPublic`,
  `${RPC}RevokeUser`,
  '/twirp/msg.MsgService/OpenPublic',
];
export const BODY = '{"name":"public:app.forged","user_id":"forged"}';

/** The ways of a script; each answers the texts that it could read. */
export const WAYS: Readonly<Record<string, (url: string) => string>> = {
  'fetch as a page of another origin': url => `
    const read = [];
    for (const method of ['GET', 'POST']) for (const type of ['application/json', 'text/plain', ''])
      for (const own of [true, false]) for (const mode of ['cors', 'no-cors', 'same-origin']) {
        const headers = { ...(type && { 'content-type': type }), ...(own && { 'x-msg-console': '1' }) };
        const init = { method, headers, mode, credentials: 'include', ...(method === 'POST' && { body: ${JSON.stringify(BODY)} }) };
        await fetch(${url}, init).then(answer => answer.text()).then(text => read.push(text), () => {});
      }
    return read.filter(text => text !== '');`,
  XMLHttpRequest: url => `
    return new Promise(resolve => {
      const sent = new XMLHttpRequest();
      sent.open('POST', ${url});
      sent.withCredentials = true;
      sent.setRequestHeader('content-type', 'text/plain');
      sent.onloadend = () => resolve(sent.responseText === '' ? [] : [sent.responseText]);
      sent.send(${JSON.stringify(BODY)});
    });`,
  beacon: url => `
    navigator.sendBeacon(${url}, ${JSON.stringify(BODY)});
    navigator.sendBeacon(${url}, new Blob([${JSON.stringify(BODY)}], { type: 'text/plain' }));
    return [];`,
  WebSocket: url => `
    return new Promise(resolve => {
      const socket = new WebSocket(${url}.replace('http', 'ws').replace(/\\/console.*|\\/twirp.*/, '/connection/websocket'));
      socket.onmessage = ({ data }) => resolve([data]);
      socket.onopen = () => resolve(['open']);
      socket.onerror = () => resolve([]);
    });`,
  EventSource: url => `
    return new Promise(resolve => {
      const source = new EventSource(${url}, { withCredentials: true });
      source.onmessage = ({ data }) => resolve([data]);
      source.onerror = () => { source.close(); resolve([]); };
    });`,
  'script and style': url => `
    const loaded = (name, key) => new Promise(resolve => {
      const element = document.createElement(name);
      element[key] = ${url};
      if (name === 'link') element.rel = 'stylesheet';
      element.onload = () => resolve(['loaded as ' + name]);
      element.onerror = () => resolve([]);
      document.body.append(element);
    });
    return [...await loaded('script', 'src'), ...await loaded('link', 'href'), ...await loaded('img', 'src')];`,
  'a form in a frame': url => `
    return new Promise(resolve => {
      const frame = document.createElement('iframe');
      frame.name = 'target' + Math.random();
      document.body.append(frame);
      const form = document.createElement('form');
      Object.assign(form, { action: ${url}, method: 'POST', enctype: 'text/plain', target: frame.name });
      const field = document.createElement('input');
      field.name = '{"name":"public:app.forged","x":"';
      field.value = '"}';
      form.append(field);
      document.body.append(form);
      // Every refusal has a text, so that the frame loads it.
      frame.onload = () => {
        let text = '';
        try { text = frame.contentDocument.body.innerText; } catch {}
        frame.remove();
        form.remove();
        resolve(text === '' ? [] : [text]);
      };
      form.submit();
    });`,
  'a frame': url => `
    return new Promise(resolve => {
      const frame = document.createElement('iframe');
      frame.src = ${url};
      frame.onload = () => {
        let text = '';
        try { text = frame.contentDocument.body.innerText; } catch {}
        try { text += frame.contentWindow.location.href; } catch {}
        frame.remove();
        resolve(text === '' ? [] : [text]);
      };
      document.body.append(frame);
    });`,
};

/** A victim who is signed in and unlocked, and the page of a stranger in the same browser. */
export class Stranger {
  readonly visit: Visit;
  readonly page: Page;
  readonly #service: Service;
  readonly #server: Server;
  /** Requests of the stranger's page that have not ended. */
  readonly #open = new Set<Request>();

  private constructor(service: Service, server: Server, visit: Visit, page: Page) {
    this.#service = service;
    this.#server = server;
    this.visit = visit;
    this.page = page;
    page.on('request', request => this.#open.add(request));
    page.on('requestfinished', request => this.#open.delete(request));
    page.on('requestfailed', request => this.#open.delete(request));
  }

  static async start(service: Service): Promise<Stranger> {
    const server = createServer((_request, response) => {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>a stranger</title><link rel="icon" href="data:,"><body>');
    });
    await new Promise<void>(resolve => server.listen(0, resolve));
    const visit = await Visit.start(service.server.url, ['--host-resolver-rules=MAP evil.test 127.0.0.1']);
    await visit.signIn(service.server.token);
    return new Stranger(service, server, visit, await visit.page.context().newPage());
  }

  /** The address of the stranger's page under a name of this machine. */
  at(host: string): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** What a stranger could have changed, and what the victim has. */
  async state(): Promise<unknown> {
    const { channels } = await this.#service.rpc.call('ListChannels', {});
    const { records } = await this.#service.rpc.call('AuditList', { limit: 500 });
    const session = await this.visit.page.evaluate(
      `fetch('session').then(answer => answer.json()).then(({ now_unix, ...facts }) => facts)`,
    );
    // The channel of a feed comes and goes with the page of the victim itself.
    const names = channels.map(({ name }) => name).filter(name => !name.startsWith('private:msg.console.'));
    return { channels: names, records: records.length, session };
  }

  /** Goes one way against a path, until every request of it has ended. @returns the texts that it could read */
  async goes(way: string, path: string): Promise<unknown> {
    const url = JSON.stringify(this.#service.server.url + path);
    const read = await this.page.evaluate(`(async () => { ${WAYS[way]?.(url)} })()`);
    await this.visit.until('the end of its requests', async () => this.#open.size === 0);
    return read;
  }

  async stop(): Promise<void> {
    await this.visit.stop();
    await closeServer(this.#server);
  }
}
