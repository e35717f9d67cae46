// Receives callbacks and verifies their signatures: node receiver.mjs [port]. It needs no packages.
import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { buffer } from 'node:stream/consumers';

// The secret of the demo organisation, which is public. Yours belongs in a variable or a secret store.
const secret = process.env.CALLBACK_SECRET ?? 'whsec_ZGVtby1zZWNyZXQtZm9yLWxvY2FsLXVzZS1vbmx5ISE=';
const key = Buffer.from(secret.replace('whsec_', ''), 'base64');

/** Whether one of the signatures is ours, and the request is at most five minutes old. */
function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures = '' } = headers;
  if (Math.abs(Date.now() / 1000 - Number(time)) > 300) return false;
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest();
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

createServer(async (request, response) => {
  // The signature is of these bytes: verify them before you parse them.
  const body = await buffer(request);
  const genuine = isGenuine(request.headers, body);
  process.stdout.write(genuine ? `valid: ${JSON.parse(body.toString()).type}\n` : 'INVALID\n');
  response.writeHead(genuine ? 204 : 401).end();
}).listen(Number(process.argv[2] ?? 4001), '127.0.0.1');
