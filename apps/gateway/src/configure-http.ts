import type { Server } from 'node:http';
import { AppLogger } from '@gangan/runtime';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiKeyCheck } from './auth/api-key-check.js';
import type { LivingKey } from './auth/api-key.repository.js';
import { takeCsv } from './contacts/imports/csv-bodies.js';
import { GatewayConfig } from './gateway.config.js';
import { type BareRefusal, logAccess, logRefusal } from './http/access-log.js';
import { declaredAccess } from './http/access.js';
import { answerForNode } from './http/answer-for-node.js';
import { parseBody } from './http/body-parser.js';
import { ownHeaders } from './http/error-answer.js';
import { jsonFaults } from './http/json-faults.js';
import { badRequest } from './http/refusals.js';
import { continueIn } from './http/request-context.js';
import { noteFaults } from './http/request-faults.js';
import { RouteTable } from './http/route-table.js';
import { usualBodyLimit } from './http/server-options.js';
import { Idempotency } from './idempotency/idempotency.js';
import { makeIdempotent } from './idempotency/idempotent-routes.js';
import { RateLimiter } from './limits/rate-limiter.js';
import { shedLoad } from './limits/shed-load.js';

/** Everything that happens to a request around its controller, in this order. */
export function configureHttp(app: NestFastifyApplication): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const config = app.get(GatewayConfig);
  limitTime(fastify.server, config.REQUEST_TIMEOUT_MS);
  answerForNode(fastify);
  identify(fastify);
  shedLoad(fastify, config);
  refuseUnknown(fastify);
  askForKey(fastify, app.get(ApiKeyCheck), app.get(RateLimiter));
  readBodies(app, fastify);
  makeIdempotent(fastify, app.get(Idempotency));
  writeDown(fastify, app.get(AppLogger));
}

/** Closes slow connections. */
function limitTime(server: Server, timeoutMs: number): void {
  server.headersTimeout = timeoutMs;
  server.requestTimeout = timeoutMs;
}

function identify(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(ownHeaders(request.id));
    continueIn(request, {}, done);
  });
}

function refuseUnknown(fastify: FastifyInstance): void {
  const routes = new RouteTable();
  fastify.addHook('onRoute', routes.register);
  fastify.addHook('onRequest', (request, reply, done) => {
    if (lacksHost(request)) {
      done(badRequest('The Host header is missing'));
    } else if (request.is404) {
      const { error, allowed } = routes.refusal(request.method, request.originalUrl);
      if (allowed !== undefined) reply.header('allow', allowed);
      done(error);
    } else {
      done();
    }
  });
}

const lacksHost = ({ raw }: FastifyRequest): boolean =>
  raw.httpVersion === '1.1' && raw.headers.host === undefined;

function askForKey(fastify: FastifyInstance, check: ApiKeyCheck, limiter: RateLimiter): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const access = declaredAccess(request.routeOptions.config);
    if (!access) {
      done(new Error('A route was reached that declares no access'));
      return;
    }
    if (access.scope === 'public') {
      done();
      return;
    }
    const { scope } = access;
    const refuse = (error: unknown): void => {
      done(error as Error);
    };
    const admit = async (key: LivingKey): Promise<void> => {
      await limiter.admit(key, reply);
      check.authorise(key, scope);
    };
    check.recognise(request.raw.rawHeaders).then((key) => {
      continueIn(request, { apiKeyId: key.id, organisationId: key.organisationId }, () => {
        admit(key).then(() => {
          done();
        }, refuse);
      });
    }, refuse);
  });
}

function readBodies(app: NestFastifyApplication, fastify: FastifyInstance): void {
  fastify.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  fastify.removeAllContentTypeParsers();
  takeCsv(fastify);
  app.useBodyParser('*', { bodyLimit: usualBodyLimit }, (request, body, done) => {
    try {
      const parsed = parseBody(request.headers, body);
      noteFaults(request, jsonFaults(parsed));
      done(null, parsed);
    } catch (error) {
      done(error as Error);
    }
  });
}

function writeDown(fastify: FastifyInstance, logger: AppLogger): void {
  fastify.decorate('logRefusal', (refusal: BareRefusal) => {
    logRefusal(logger, refusal);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    logAccess(logger, request, reply);
    done();
  });
}
