import { afterEach, expect, it } from '@jest/globals';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { postRequest } from '../src/load/exchange.js';
import { LoadGenerator } from '../src/load/load-generator.js';
import { runLoad } from '../src/load/run-load.js';
import { Resources } from '../src/processes/resources.js';

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
  const result = await runLoad({ port, connections: 8, warmUp: 0.05, seconds: 0.2, requests });
  expect(result.succeeded + (result.others[503] ?? 0)).toBe(received);
  expect(result.others[503]).toBe(Math.floor(received / 5));
  expect(result.perSecond).toBeGreaterThan(0);
});

it('ends if the server breaks its connections', async () => {
  const port = await serve((_request, response) => response.destroy());
  const result = await runLoad({ port, connections: 3, seconds: 1, requests });
  expect(result).toMatchObject({ succeeded: 0, others: { 0: 3 } });
});

it('counts for each of two loads at a time', async () => {
  let received = 0;
  const port = await serve((_request, response) => {
    received += 1;
    response.end('{}');
  });
  const resources = new Resources();
  const generator = new LoadGenerator(resources);
  // wrk takes whole seconds only.
  const load = { port, seconds: 0.15, requests };
  const results = await Promise.all([1, 4].map((connections) => generator.run({ ...load, connections })));
  await resources.close();
  expect(results.reduce((sum, { succeeded }) => sum + succeeded, 0)).toBe(received);
});
