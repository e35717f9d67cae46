import { afterEach, expect, it } from '@jest/globals';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { postRequest } from '../src/load/exchange.js';
import { LoadGenerator } from '../src/load/load-generator.js';
import { runLoad } from '../src/load/run-load.js';

const requests = [postRequest('/charge', { recipient: '2348031234567' })];

let server: Server;
afterEach(() => void server.close());

const serve = async (listener: RequestListener): Promise<number> => {
  server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

it('counts every response, in any number of chunks, and waits for the last', async () => {
  let received = 0;
  const port = await serve((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
    request.on('end', () => {
      received += 1;
      expect(JSON.parse(body)).toMatchObject({ recipient: '2348031234567' });
      const status = received % 5 === 0 ? 503 : 200;
      response.writeHead(status, { 'content-length': 10 });
      response.write('01234');
      void pause(2).then(() => response.end('56789'));
    });
  });
  const result = await runLoad({ port, connections: 8, warmUpMs: 50, measureMs: 200, requests });
  expect(result.succeeded + (result.others[503] ?? 0)).toBe(received);
  expect(result.others[503]).toBe(Math.floor(received / 5));
  expect(result.perSecond).toBeGreaterThan(0);
  expect(result.p99).toBeGreaterThanOrEqual(result.p50);
});

it('ends if the server breaks its connections', async () => {
  const port = await serve((_request, response) => response.destroy());
  const result = await runLoad({ port, connections: 3, warmUpMs: 0, measureMs: 1_000, requests });
  expect(result).toMatchObject({ succeeded: 0, others: { 0: 3 } });
});

it('counts for each of two loads at a time', async () => {
  let received = 0;
  const port = await serve((_request, response) => {
    received += 1;
    response.end('{}');
  });
  const generator = new LoadGenerator();
  // wrk takes whole seconds only.
  const load = { port, warmUpMs: 0, measureMs: 150, requests };
  const results = await Promise.all([1, 4].map((connections) => generator.run({ ...load, connections })));
  await generator.stop();
  expect(results.reduce((sum, { succeeded }) => sum + succeeded, 0)).toBe(received);
});
