import { request } from 'node:http';

export interface Question {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Sent as `Authorization`; none when absent. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, on a GET too. */
  readonly body?: unknown;
  /** Sent as it is, in place of JSON; `headers` says what it is. */
  readonly text?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: unknown;
}

/** One request over a connection of its own. (`fetch` refuses a GET with a body.) */
export const ask = (
  base: string,
  { method = 'GET', path, key, headers: further, body, text: file }: Question,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const payload = body === undefined ? file : JSON.stringify(body);
    const headers = {
      ...further,
      ...(key !== undefined && { authorization: key }),
      ...(payload !== undefined && {
        ...(file === undefined && { 'content-type': 'application/json' }),
        'content-length': Buffer.byteLength(payload),
      }),
    };
    const asked = request(
      new URL(path, base),
      { method, headers, agent: false, timeout: 30_000 },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('error', reject);
        response.on('end', () => {
          const json: unknown = text === '' ? undefined : JSON.parse(text);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: json });
        });
      },
    );
    asked.on('timeout', () => asked.destroy(new Error(`No answer to ${method} ${path} in 30 s`)));
    asked.on('error', reject);
    asked.end(payload);
  });
