import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
  onSendHookHandler,
  preHandlerHookHandler,
  RouteOptions,
} from 'fastify';
import { declaredAccess } from '../http/access.js';
import { continueIn } from '../http/request-context.js';
import { faultsOf } from '../http/request-faults.js';
import type { Claim, KeptAnswer } from './claim.repository.js';
import type { Idempotency } from './idempotency.js';

const methods = new Set(['POST', 'PATCH']);

/**
 * Every POST and PATCH that asks for a key obeys `Idempotency-Key`, without saying so itself. The hooks stand around
 * the controller: after the body is parsed, and where the bytes of the answer are known.
 */
export function makeIdempotent(fastify: FastifyInstance, idempotency: Idempotency): void {
  const before: preHandlerHookHandler = (request, reply, done) => {
    if (request.headers['idempotency-key'] === undefined || faultsOf(request).length > 0) done();
    else begin(idempotency, request, reply, done);
  };
  const after: onSendHookHandler = (request, reply, payload, done) => {
    const claim = idempotency.claimOf(request);
    if (!claim) done(null, payload);
    else
      void idempotency.end(request, claim, answerOf(reply, payload)).then((heldMs) => {
        if (heldMs > 0) void reply.header('retry-after', Math.ceil(heldMs / 1_000));
        done(null, payload);
      });
  };
  fastify.addHook('onRoute', (route) => {
    if (!isIdempotent(route)) return;
    route.preHandler = [...[route.preHandler ?? []].flat(), before];
    route.onSend = [...[route.onSend ?? []].flat(), after];
  });
}

const isIdempotent = ({ method, config }: RouteOptions): boolean =>
  [method].flat().some((name) => methods.has(name)) && declaredAccess(config)?.scope !== 'public';

function begin(
  idempotency: Idempotency,
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  idempotency.begin(request).then(
    (begun) => {
      if (!begun) done();
      else if (isClaim(begun)) continueIn(request, { operationId: begun.operationId }, done);
      else replay(reply, begun);
    },
    (error: unknown) => {
      done(error as Error);
    },
  );
}

const isClaim = (begun: Claim | KeptAnswer): begun is Claim => 'operationId' in begun;

function replay(reply: FastifyReply, { status, type, body }: KeptAnswer): void {
  void reply.status(status).header('idempotent-replayed', 'true');
  if (type !== undefined) void reply.type(type);
  void reply.send(body.length > 0 || type !== undefined ? body : undefined);
}

/** A stream cannot be read twice, so it cannot be given again. */
function answerOf(reply: FastifyReply, payload: unknown): KeptAnswer | 'unrepeatable' {
  const body = bytesOf(payload);
  const type = reply.getHeader('content-type');
  return body
    ? { status: reply.statusCode, type: typeof type === 'string' ? type : undefined, body }
    : 'unrepeatable';
}

function bytesOf(payload: unknown): Buffer | undefined {
  if (payload === undefined || payload === null) return Buffer.alloc(0);
  if (typeof payload === 'string') return Buffer.from(payload);
  return payload instanceof Uint8Array ? Buffer.from(payload) : undefined;
}
