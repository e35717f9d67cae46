import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Refuses requests as the gateway does, without any work: what the traffic of an attacker alone costs the machine. */
const server = createServer((request, response) => {
  const hasBody = request.method === 'POST';
  response.writeHead(hasBody ? 429 : 401, hasBody ? { connection: 'close' } : {}).end();
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  process.send?.({ type: 'ready', port: (server.address() as AddressInfo).port });
});
