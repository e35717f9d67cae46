import type { FastifyRequest } from 'fastify';

/** How browsers and messengers say that they only look ahead, and that nobody has clicked yet. */
const announcements = ['purpose', 'sec-purpose', 'x-purpose', 'x-moz'] as const;
const looksAhead = /prefetch|prerender|preview/i;

/** Whether somebody follows the link, as far as the request tells. */
export function isVisit({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return method === 'GET' && !announcements.some((name) => looksAhead.test(String(headers[name] ?? '')));
}
