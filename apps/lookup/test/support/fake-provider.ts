import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';

export const secret = 'hunter2-secret';

/** A live provider whose behaviour a test sets. */
export class FakeProvider {
  readonly requests: { url: string; authorization: string | undefined }[] = [];
  /** Answers one request; by default the number is ported to Glo and on the DND list. */
  behave: (request: IncomingMessage, response: ServerResponse) => void = respondWith({});

  private constructor(private readonly server: Server) {}

  static async open(): Promise<FakeProvider> {
    const server = createServer((request, response) => {
      provider.requests.push({ url: request.url ?? '', authorization: request.headers.authorization });
      provider.behave(request, response);
    });
    const provider = new FakeProvider(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Writes the file that describes it. */
  async describeIn(path: string): Promise<string> {
    const file = {
      name: 'fake',
      url: `${this.url}/{digits}`,
      headers: { authorization: 'Bearer {secret}' },
      nothingKnown: [404],
      answer: {
        operator: { pointer: '/network', values: { 'GLO Mobile': 'Glo' } },
        ported: { pointer: '/ported', values: { Y: true, N: false } },
        dnd: { pointer: '/dnd' },
      },
    };
    await writeFile(path, JSON.stringify(file));
    return path;
  }

  reset(): void {
    this.requests.length = 0;
    this.behave = respondWith({});
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

export const respondWith =
  (more: object, status = 200) =>
  (_: unknown, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ network: 'GLO Mobile', ported: 'Y', dnd: true, ...more }));
  };

export const hang = (): void => undefined;
