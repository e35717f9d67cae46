import type { AppError } from '@gangan/protocol';
import type { FastifyRequest } from 'fastify';

const refusals = new WeakMap<FastifyRequest, AppError>();

/** Keeps the error that a request is answered with: the answer itself does not show all of it. */
export const noteRefusal = (request: FastifyRequest, refusal: AppError): void =>
  void refusals.set(request, refusal);

export const givenRefusal = (request: FastifyRequest): AppError | undefined => refusals.get(request);
