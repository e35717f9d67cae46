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
  /** Names may repeat; none are added but Host, Connection and what Node needs for the body. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Buffer;
}

/** One real HTTP request. (`fetch` refuses a body on GET.) */
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
  json: text.startsWith('{') || text.startsWith('[') ? (JSON.parse(text) as unknown) : undefined,
});

/** Bytes on a bare connection, and all that comes back until the server closes it. `rest` is sent once something has. */
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
      // The server may close while we are still sending.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
  });
