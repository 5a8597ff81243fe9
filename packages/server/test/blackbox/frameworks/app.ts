// Web frameworks with msg mounted in them: node app.ts <mounting>. It tells its parent where it listens.
import 'reflect-metadata';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { bodyParser } from '@koa/bodyparser';
import { Msg } from '@msg/server';
import { Body, Controller, type MiddlewareConsumer, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import express from 'express';
import express4 from 'express-4';
import fastify, { type FastifyInstance, type onRequestHookHandler } from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { type Listening, MOUNTINGS, type MountingName, type MountingRow, nameOf } from './names.ts';

/** What {@link Msg.handler} answers. */
type Handle = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void;

/** Mounts a handler in an application. */
type Mount = (handle: Handle) => Server | Promise<Server>;

// Both majors have what is used here; the types are those of the newer one.
function expressApp(create: typeof express, ...order: ('msg' | 'parsers')[]): Mount {
  return handle => {
    const app = create();
    for (const part of order) app.use(part === 'parsers' ? create.json() : handle);
    app.post('/echo', (request, response) => void response.json({ echo: request.body }));
    return createServer(app);
  };
}

/** A hook, before the parser or after it, which passes on what is not the service's. */
function hookInto(app: FastifyInstance, handle: Handle, place: 'before' | 'after' = 'before'): void {
  const hook: onRequestHookHandler = (request, reply, done) => {
    let isPassedOn = false;
    if (place === 'after') Object.assign(request.raw, { body: request.body });
    handle(request.raw, reply.raw, () => {
      isPassedOn = true;
    });
    if (isPassedOn) done();
    else reply.hijack();
  };
  if (place === 'before') app.addHook('onRequest', hook);
  else app.addHook('preHandler', hook);
}

function fastifyApp(place: 'before' | 'after' | 'after, body handed on'): Mount {
  return async handle => {
    const app = fastify();
    if (place === 'before') hookInto(app, handle);
    else {
      app.setNotFoundHandler((request, reply) => {
        reply.hijack();
        if (place !== 'after') Object.assign(request.raw, { body: request.body });
        handle(request.raw, reply.raw);
      });
    }
    app.post('/echo', request => ({ echo: request.body }));
    await app.ready();
    return app.server;
  };
}

function koaApp(place: 'before' | 'after' | 'after, body handed on'): Mount {
  return handle => {
    const app = new Koa();
    const mounted: Koa.Middleware = (context, next) =>
      new Promise((resolve, reject) => {
        context.res.once('close', () => resolve(undefined));
        handle(context.req, context.res, () => next().then(resolve, reject));
      });
    const parser = bodyParser({ patchNode: place === 'after, body handed on' });
    for (const part of place === 'before' ? [mounted, parser] : [parser, mounted]) app.use(part);
    app.use(context => {
      context.body = { echo: context.request.body };
    });
    return createServer(app.callback());
  };
}

function honoApp(place: 'before' | 'in a route'): Mount {
  return handle => {
    const app = new Hono<{ Bindings: HttpBindings }>();
    app.post('/echo', async context => context.json({ echo: await context.req.json() }));
    if (place === 'in a route') {
      app.all('*', ({ env }) => {
        handle(env.incoming, env.outgoing as ServerResponse); // a server without HTTP/2
        return RESPONSE_ALREADY_SENT;
      });
      return createServer(getRequestListener(app.fetch));
    }
    const listener = getRequestListener(app.fetch);
    return createServer((request, response) =>
      handle(request, response, () => void listener(request, response)),
    );
  };
}

class EchoController {
  echo(body: unknown): object {
    return { echo: body };
  }
}
// What decorators do: Node runs these sources without compiling them.
Controller()(EchoController);
Post('echo')(
  EchoController.prototype,
  'echo',
  Object.getOwnPropertyDescriptor(EchoController.prototype, 'echo') as PropertyDescriptor,
);
Body()(EchoController.prototype, 'echo', 0);

function nestApp(adapter: 'express' | 'fastify', place: 'before' | 'after'): Mount {
  return async handle => {
    class AppModule {
      configure(consumer: MiddlewareConsumer): void {
        if (adapter === 'express' && place === 'after') consumer.apply(handle).forRoutes('{*path}');
      }
    }
    Module({ controllers: [EchoController] })(AppModule);
    if (adapter === 'express') {
      const app = await NestFactory.create(AppModule, new ExpressAdapter(), { logger: false });
      if (place === 'before') app.use(handle);
      await app.init();
      return app.getHttpServer();
    }
    const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
      logger: false,
    });
    const instance = app.getHttpAdapter().getInstance();
    hookInto(instance as unknown as FastifyInstance, handle, place); // the same class, of Nest's own types
    await app.init();
    await instance.ready();
    return instance.server;
  };
}

/** What Next.js gives to a server of one's own; it is installed elsewhere, and has no types here. */
type Next = (options: { readonly dir: string; readonly dev: boolean; readonly httpServer?: Server }) => {
  prepare(): Promise<void>;
  getRequestHandler(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
};

function nextApp(place: 'before' | 'in a route'): Mount {
  return async handle => {
    const dir = process.env['NEXT_APP'] ?? '';
    const next: Next = createRequire(join(dir, 'package.json'))('next');
    // Next.js ends upgrades for paths of its own routes: it gets a server to listen on that has none.
    const app = next({ dir, dev: false, ...(place === 'before' ? {} : { httpServer: createServer() }) });
    await app.prepare();
    const answer = app.getRequestHandler();
    // Its route finds the handler there: it is loaded into this process.
    if (place === 'in a route') {
      Object.assign(globalThis, { handle });
      return createServer(answer);
    }
    return createServer((request, response) =>
      handle(request, response, () => void answer(request, response)),
    );
  };
}

const APPLICATIONS: Readonly<Record<MountingName, Mount>> = {
  'Express 5, before the parser': expressApp(express, 'msg', 'parsers'),
  'Express 5, after `json()`': expressApp(express, 'parsers', 'msg'),
  'Express 4, before the parser': expressApp(express4, 'msg', 'parsers'),
  'Express 4, after `json()`': expressApp(express4, 'parsers', 'msg'),
  'Fastify 5, before the parser': fastifyApp('before'),
  'Fastify 5, after the parser, the body handed on': fastifyApp('after, body handed on'),
  'Fastify 5, after the parser': fastifyApp('after'),
  'Koa 3, before the parser': koaApp('before'),
  'Koa 3, after the parser with `patchNode`': koaApp('after, body handed on'),
  'Koa 3, after the parser': koaApp('after'),
  'Hono on Node, before the application': honoApp('before'),
  'Hono on Node, in a route': honoApp('in a route'),
  'NestJS on Express, before the parser': nestApp('express', 'before'),
  'NestJS on Express, as middleware after the parsers': nestApp('express', 'after'),
  'NestJS on Fastify, before the parser': nestApp('fastify', 'before'),
  'NestJS on Fastify, after the parser, the body handed on': nestApp('fastify', 'after'),
  'Next.js 16, before its handler': nextApp('before'),
  'Next.js 16, in an API route': nextApp('in a route'),
};

const name = process.argv[2] as MountingName; // the test names one of them
const { basePath = '' }: MountingRow = MOUNTINGS.find(row => nameOf(row) === name) ?? MOUNTINGS[0];
const key = `key-of-the-test-${crypto.randomUUID()}`;
const msg = await Msg.start({ basePath, api: { enabled: true }, apiKeys: [{ name: 'backend', key }] });
const server = await APPLICATIONS[name](msg.handler());
msg.attach(server);
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // a bound TCP server has one
  const url = `http://127.0.0.1:${port}`;
  const token = msg.tokens.issueManagement('app').token;
  const listening: Listening = { url, service: url + basePath, token, key };
  process.send?.(listening);
});
process.on('disconnect', () => process.exit());
