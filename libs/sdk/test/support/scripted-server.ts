import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server does with the next request. The last step is repeated. */
export type Step =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  /** Closes the connection without a response. */
  | 'reset'
  /** Closes the connection in the middle of the response. */
  | 'cut'
  /** Never responds. */
  | 'hang';

export interface SeenRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An HTTP server that fails as a test demands, and records its requests. */
export class ScriptedServer {
  readonly seen: SeenRequest[] = [];
  private steps: Step[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ScriptedServer> {
    const http = createServer();
    const scripted = new ScriptedServer(http);
    http.on('request', (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        const { method, url, headers } = request;
        scripted.seen.push({ method, url, headers, body });
        scripted.play(response);
      });
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    return scripted;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The keys of the requests, in their order. */
  get keys(): unknown[] {
    return this.seen.map(({ headers }) => headers['idempotency-key']);
  }

  script(...steps: readonly Step[]): void {
    this.seen.length = 0;
    this.steps = [...steps];
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private play(response: ServerResponse): void {
    const step = (this.steps.length > 1 ? this.steps.shift() : this.steps[0]) ?? {};
    if (step === 'hang') return;
    if (step === 'reset') {
      response.socket?.destroy();
      return;
    }
    if (step === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"id":', () => response.socket?.destroy());
      return;
    }
    const { status = 200, headers, body = {} } = step;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }
}

/** An error of the API. */
export const rejection = (status: number, type?: string, retryAfter?: number): Step => ({
  status,
  headers: {
    'x-request-id': 'request-1',
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  },
  body: {
    status,
    message: 'The request failed',
    errors: type === undefined ? [] : [{ field: 'recipients', message: 'It is wrong', type }],
  },
});
