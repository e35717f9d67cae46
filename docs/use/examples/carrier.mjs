// A stand-in for a carrier with an HTTP API: node carrier.mjs [port]. It prints messages and accepts all of them.
import { createServer } from 'node:http';
import process from 'node:process';
import { json } from 'node:stream/consumers';

let count = 0;
createServer(async (request, response) => {
  const { to, text } = await json(request);
  process.stdout.write(`to ${to}: ${text}\n`);
  count += 1;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ id: `carrier-${count}` }));
}).listen(Number(process.argv[2] ?? 4100), '127.0.0.1');
