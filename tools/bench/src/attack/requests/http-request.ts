/** What an attacker knows. */
export interface Access {
  readonly key: string;
  /** Where a provider sends its webhooks, and the secret that signs them. */
  readonly webhook: { readonly path: string; readonly secret: string };
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | null;
}

/** @param index is another one for each request, so that no cache answers it */
export type MakeRequest = (access: Access, index: number) => HttpRequest;

export const get =
  (path: string | ((index: number) => string), headers: Readonly<Record<string, string>> = {}): MakeRequest =>
  (_, index) => ({ method: 'GET', path: typeof path === 'string' ? path : path(index), headers });

/** With the key of a customer. */
export const getWithKey =
  (path: (index: number) => string): MakeRequest =>
  ({ key }, index) => ({ method: 'GET', path: path(index), headers: { authorization: key } });

export const postJson =
  (path: string, body: string | ((index: number) => string)): MakeRequest =>
  ({ key }, index) => ({
    method: 'POST',
    path,
    headers: { authorization: key, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : body(index),
  });

/** The lines before the body, as they are sent. */
export const headOf = (line: string, headers: Readonly<Record<string, string>>): string =>
  [
    `${line} HTTP/1.1`,
    ...Object.entries({ host: 'bench', ...headers }).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');
