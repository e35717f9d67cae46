import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
}

export interface Call {
  readonly method?: string;
  readonly path?: string;
  /** Names may repeat. Only Host, Connection and Content-Length are added. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Buffer;
}

/** Sends one HTTP request. (`fetch` does not allow a body on GET.) */
export const call = (
  port: number,
  { method = 'GET', path = '/', headers = [], body }: Call,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const own = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))];
    const flat = ['host', 'localhost', ...own, ...headers.flat()];
    const request = httpRequest(
      { port, host: '127.0.0.1', method, path, headers: flat, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const fault = headerFault(response.headers);
          if (fault !== undefined) reject(new Error(`${method} ${path}: ${fault}`));
          resolve(answerOf(response.statusCode ?? 0, response.headers, Buffer.concat(chunks).toString()));
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });

/** What every response must have, also errors and those of a proxy. */
function headerFault(headers: IncomingHttpHeaders): string | undefined {
  if (headers['x-content-type-options'] !== 'nosniff')
    return 'the response lacks X-Content-Type-Options: nosniff';
  const policy = String(headers['content-security-policy'] ?? '');
  const missing = policyParts.filter((part) => !policy.split('; ').includes(part));
  // Pages without a request id are of a proxy, and contain nothing from outside.
  const isPage = headers['content-type']?.startsWith('text/html') && headers['x-request-id'] !== undefined;
  return isPage && missing.length > 0 ? `the page lacks ${missing.join(', ')} in its policy` : undefined;
}

const policyParts = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];

const answerOf = (status: number, headers: IncomingHttpHeaders, text: string): Answer => ({
  status,
  headers,
  text,
  json:
    headers['content-encoding'] === undefined && /^[{[]/.test(text)
      ? (JSON.parse(text) as unknown)
      : undefined,
});

/** Sends bytes and returns everything received until the server closes. Sends `rest` after the first response bytes. */
export const raw = (port: number, bytes: string, rest = ''): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => (received += chunk.toString()));
    if (rest !== '') socket.once('data', () => socket.write(rest));
    socket.on('close', () => {
      resolve(received);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close the connection while the request is still being sent.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
  });
