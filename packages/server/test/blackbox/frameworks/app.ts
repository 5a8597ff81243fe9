// Web frameworks with msg mounted in them: node app.ts <mounting>. It tells its parent where it listens.
import 'reflect-metadata';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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
import fastify, { type FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import type { Listening, MountingName } from './names.ts';

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

/** Before the parser a hook, which passes on what is not the service's. */
function hookInto(app: FastifyInstance, handle: Handle): void {
  app.addHook('onRequest', (request, reply, done) => {
    let isPassedOn = false;
    handle(request.raw, reply.raw, () => {
      isPassedOn = true;
    });
    if (isPassedOn) done();
    else reply.hijack();
  });
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
    hookInto(instance as unknown as FastifyInstance, handle); // the same class, of Nest's own types
    await app.init();
    await instance.ready();
    return instance.server;
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
};

const key = `key-of-the-test-${crypto.randomUUID()}`;
const msg = await Msg.start({ api: { enabled: true }, apiKeys: [{ name: 'backend', key }] });
const server = await APPLICATIONS[process.argv[2] as MountingName](msg.handler());
msg.attach(server);
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // a bound TCP server has one
  const listening: Listening = {
    url: `http://127.0.0.1:${port}`,
    token: msg.tokens.issueManagement('app').token,
    key,
  };
  process.send?.(listening);
});
process.on('disconnect', () => process.exit());
