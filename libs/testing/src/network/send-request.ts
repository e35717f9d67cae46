import { request } from 'node:http';

export interface TestRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Sent as `Authorization`. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, also with GET. */
  readonly body?: unknown;
  /** Sent unchanged instead of `body`; name its content type in `headers`. */
  readonly text?: string;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: unknown;
}

/** Sends one request on a new connection. Not `fetch`, which refuses a GET with a body. */
export const sendRequest = (
  base: string,
  { method = 'GET', path, key, headers: given, body, text }: TestRequest,
): Promise<TestResponse> =>
  new Promise((resolve, reject) => {
    const payload = body === undefined ? text : JSON.stringify(body);
    const headers = {
      ...given,
      ...(key !== undefined && { authorization: key }),
      ...(payload !== undefined && {
        ...(text === undefined && { 'content-type': 'application/json' }),
        'content-length': Buffer.byteLength(payload),
      }),
    };
    const sent = request(
      new URL(path, base),
      { method, headers, agent: false, timeout: 30_000 },
      (response) => {
        let received = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (received += chunk));
        response.on('error', reject);
        response.on('end', () => {
          const json: unknown = received === '' ? undefined : JSON.parse(received);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: json });
        });
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`No response to ${method} ${path} within 30 s`)));
    sent.on('error', reject);
    sent.end(payload);
  });
