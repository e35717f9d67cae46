import { createServer } from 'node:http';
import { listen } from '../processes/script.js';

/** As large as the document is when it is compressed. */
const document = Buffer.alloc(1_200_000);

/**
 * Does no work: what the traffic of an attacker alone costs the machine. It reads bodies, and sends as much as the gateway.
 * Requests of providers and uploads get their response at once, as most of too many do, so that as many follow.
 */
const server = createServer((request, response) => {
  request.resume();
  const answer = (): void => {
    if (request.url === '/docs/reference.js') response.end(document);
    else response.writeHead(request.method === 'POST' ? 429 : 401).end();
  };
  if (/^\/(in|lists)\//.test(request.url ?? '')) answer();
  else request.on('end', answer);
});
listen(server);
