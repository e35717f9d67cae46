import { allContracts } from '@gangan/contracts';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CarefulClient, timeoutMs } from './careful-client.js';
import type { ClientRequest } from './requests.js';
import { Timeline } from './timeline.js';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const request: ClientRequest = {
  intent: { kind: 'contact', ref: 'intent', atMs: 0, organisation: 0, asksAgain: false },
  step: 'create',
  method: 'POST',
  path: '/lists/contact/rows',
  body: { a: 1 },
};
const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify(body));

describe('a careful client', () => {
  let server: Server;
  let client: CarefulClient;
  let answers: Answer[];
  const keys: unknown[] = [];
  const ended = new AbortController();

  beforeEach(async () => {
    keys.length = 0;
    server = createServer((incoming, response) => {
      keys.push(incoming.headers['idempotency-key']);
      answers.shift()?.(response, incoming);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = new CarefulClient([(server.address() as AddressInfo).port], new Timeline(), ended.signal);
  });
  afterEach(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });

  it('waits for longer than the deadline of any operation', () => {
    for (const contract of allContracts)
      if (contract.kind === 'request') expect(contract.deadlineMs).toBeLessThan(timeoutMs);
  });

  it('sends no key with a GET, and repeats it too', async () => {
    answers = [json(503, {}), json(200, { id: 'x' })];
    const read: ClientRequest = { intent: request.intent, step: 'read', method: 'GET', path: '/balance' };
    expect(await client.send(read, 'key')).toMatchObject({ status: 200, retriedAfter: ['503'] });
    expect(keys).toEqual([undefined, undefined]);
  });

  it.each<[string, Answer]>([
    ['503', json(503, {})],
    ['500', json(500, {})],
    ['429', json(429, {}, { 'retry-after': '0' })],
    ['409 in_progress', json(409, { errors: [{ type: 'in_progress' }] })],
    ['no response', (response) => response.destroy()],
    [
      'no response',
      // An incomplete one.
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"id":');
        setTimeout(() => response.destroy(), 20);
      },
    ],
  ])('repeats a request with the same key after %s', async (result, first) => {
    answers = [first, json(200, { id: 'x' })];
    expect(await client.send(request, 'key')).toMatchObject({
      status: 200,
      body: { id: 'x' },
      attempts: 2,
      retriedAfter: [result],
    });
    expect(keys).toEqual(['intent-create', 'intent-create']);
  });

  it.each<[number, object]>([
    [200, {}],
    [400, {}],
    [402, {}],
    [409, { errors: [{ type: 'already_verified' }] }],
    [429, { errors: [{ type: 'too_many_attempts' }] }],
  ])('takes %s %j as the final answer', async (status, body) => {
    answers = [json(status, body)];
    expect(await client.send(request, 'key')).toMatchObject({ status, body, attempts: 1 });
  });
});
