import { afterEach, expect, it } from '@jest/globals';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { postRequest } from '../src/load/exchange.js';
import { runLoad } from '../src/load/run-load.js';

const requests = [postRequest('/charge', 'the key', { recipient: '2348031234567' })];

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
      response.writeHead(200, { 'content-length': 10 });
      response.write('01234');
      void pause(2).then(() => response.end('56789'));
    });
  });
  const result = await runLoad({ ports: [port], connections: 8, seconds: 0.2, requests });
  expect(result.succeeded).toBe(received);
  expect(result.perSecond).toBeGreaterThan(0);
});

it('fails if a request is refused', async () => {
  const port = await serve((_request, response) =>
    response.writeHead(503, { 'content-length': 2 }).end('{}'),
  );
  const load = runLoad({ ports: [port], connections: 2, seconds: 0.05, requests });
  await expect(load).rejects.toThrow(/^Requests failed: \{"503":\d+\}$/);
});

it('ends if the server breaks its connections', async () => {
  const port = await serve((_request, response) => response.destroy());
  const load = runLoad({ ports: [port], connections: 3, seconds: 1, requests });
  await expect(load).rejects.toThrow('Requests failed: {"0":3}');
});
