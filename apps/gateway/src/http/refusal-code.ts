import type { FastifyRequest } from 'fastify';

const codes = new WeakMap<FastifyRequest, string>();

/** Keeps the code of the error that a request is answered with: the answer itself does not show it. */
export const noteRefusal = (request: FastifyRequest, code: string): void => void codes.set(request, code);

export const refusalCodeOf = (request: FastifyRequest): string | undefined => codes.get(request);
