import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorAnswer } from './error-answer.js';
import { refusalOf } from './refusals.js';

/** Answers in our shape where a request is refused before Fastify has made one of it. */

type Headers = Readonly<Record<string, string>>;

const parts = (status: number, requestId: string, further: Headers) => {
  const answer = errorAnswer(refusalOf(status), requestId);
  const body = JSON.stringify(answer.body);
  const headers = {
    ...answer.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...further,
  };
  return { body, headers };
};

export function answerResponse(response: ServerResponse, status: number, requestId: string): void {
  const { body, headers } = parts(status, requestId, {});
  response.writeHead(status, headers).end(body);
}

export function answerSocket(socket: Duplex, status: number, requestId: string, further: Headers = {}): void {
  const { body, headers } = parts(status, requestId, further);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n'));
}
