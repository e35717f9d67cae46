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
          resolve(answerOf(response.statusCode ?? 0, response.headers, Buffer.concat(chunks).toString()));
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });

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
