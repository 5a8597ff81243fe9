// Web frameworks with msg mounted in them: node app.ts <framework>. It tells its parent where it listens.
import 'reflect-metadata';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bodyParser } from '@koa/bodyparser';
import { Msg } from '@msg/server';
import { Body, Controller, type MiddlewareConsumer, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import type { FrameworkName, Listening } from './names.ts';

const PATHS = ['/twirp/', '/connection/', '/emulation'];
const isMsg = (url = ''): boolean => PATHS.some(path => url.startsWith(path));

/** Mounts a handler in an application. */
type Mount = (handle: RequestListener) => Server | Promise<Server>;

function expressApp(...order: ('msg' | 'parsers')[]): Mount {
  return handle => {
    const app = express();
    for (const part of order) {
      if (part === 'parsers') app.use(express.json());
      else app.use((request, response, next) => (isMsg(request.url) ? handle(request, response) : next()));
    }
    app.post('/echo', (request, response) => void response.json({ echo: request.body }));
    return createServer(app);
  };
}

function fastifyApp(place: 'before' | 'after' | 'after, body handed on'): Mount {
  return async handle => {
    const app = fastify();
    if (place === 'before') {
      app.addHook('onRequest', (request, reply, done) => {
        if (!isMsg(request.url)) return done();
        reply.hijack();
        handle(request.raw, reply.raw as never); // the response of a plain HTTP server
      });
    } else {
      app.setNotFoundHandler((request, reply) => {
        reply.hijack();
        if (place !== 'after') Object.assign(request.raw, { body: request.body });
        handle(request.raw, reply.raw as never);
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
    const mounted: Koa.Middleware = async (context, next) => {
      if (!isMsg(context.url)) return next();
      context.respond = false;
      handle(context.req, context.res);
    };
    const parser = bodyParser({ patchNode: place === 'after, body handed on' });
    for (const part of place === 'before' ? [mounted, parser] : [parser, mounted]) app.use(part);
    app.use(context => {
      context.body = { echo: context.request.body };
    });
    return createServer(app.callback());
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
        if (adapter === 'fastify' || place === 'before') return;
        // Express cuts the path of a middleware off.
        const whole = (request: express.Request, response: express.Response, next: () => void): void => {
          if (!isMsg(request.originalUrl)) {
            next();
            return;
          }
          request.url = request.originalUrl;
          handle(request, response);
        };
        consumer.apply(whole).forRoutes('{*path}');
      }
    }
    Module({ controllers: [EchoController] })(AppModule);
    if (adapter === 'express') {
      const app = await NestFactory.create(AppModule, new ExpressAdapter(), { logger: false });
      if (place === 'before') {
        app.use((request: never, response: never, next: () => void) =>
          isMsg((request as { url: string }).url) ? handle(request, response) : next(),
        );
      }
      await app.init();
      return app.getHttpServer();
    }
    const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
      logger: false,
    });
    const instance = app.getHttpAdapter().getInstance();
    instance.addHook('onRequest', (request, reply, done) => {
      if (!isMsg(request.url)) return done();
      reply.hijack();
      handle(request.raw, reply.raw as never);
    });
    await app.init();
    await instance.ready();
    return instance.server;
  };
}

const APPLICATIONS: Readonly<Record<FrameworkName, Mount>> = {
  'Express, before the parsers': expressApp('msg', 'parsers'),
  'Express, after json()': expressApp('parsers', 'msg'),
  'Fastify, in onRequest': fastifyApp('before'),
  'Fastify, after its parser, the body handed on': fastifyApp('after, body handed on'),
  'Fastify, after its parser': fastifyApp('after'),
  'Koa, before the parser': koaApp('before'),
  'Koa, after the parser, which hands the body on': koaApp('after, body handed on'),
  'Koa, after the parser': koaApp('after'),
  'Nest on Express, before its parsers': nestApp('express', 'before'),
  'Nest on Express, as middleware after its parsers': nestApp('express', 'after'),
  'Nest on Fastify, in onRequest': nestApp('fastify', 'before'),
};

const msg = await Msg.create();
const server = await APPLICATIONS[process.argv[2] as FrameworkName](msg.handler());
msg.attach(server);
void msg.run(new AbortController().signal);
await msg.ready();
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // a bound TCP server has one
  const listening: Listening = {
    url: `http://127.0.0.1:${port}`,
    token: msg.tokens.issueManagement('app').token,
  };
  process.send?.(listening);
});
process.on('disconnect', () => process.exit());
