import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml, linksToDocs, pathToRoot, sendPage } from '../pages/html-page.js';
import type { ErrorBody } from './error-response.js';

/** The content of an error response as a page. */
export function sendErrorPage(request: FastifyRequest, reply: FastifyReply, error: ErrorBody): void {
  const { status, message, errors } = error;
  const items = errors.map((each) => `<li>${escapeHtml(`${each.field}: ${each.message}`)}</li>`);
  sendPage(reply, {
    status,
    title: `${status} ${STATUS_CODES[status] ?? 'Error'}`,
    style: 'p, li { overflow-wrap: anywhere; }',
    body: `<p>${escapeHtml(message)}</p>
${items.length > 0 ? `<ul>${items.join('')}</ul>\n` : ''}${linksToDocs(pathToRoot(request))}`,
  });
}
