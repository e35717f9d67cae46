import { connect, type Socket } from 'node:net';

/** The status of a response, or `undefined` if the connection broke. */
export type Outcome = (status: number | undefined, milliseconds: number) => void;

const headersEnd = '\r\n\r\n';

/**
 * One keep-alive connection that sends one request after the other. It is hand-written and parses only the status and
 * the length of a response, because the load generator shares the cores with the system that it measures.
 */
export class Exchange {
  private readonly socket: Socket;
  private received = '';
  private expected: number | undefined;
  private started = 0;

  constructor(
    port: number,
    private readonly done: Outcome,
  ) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.setEncoding('latin1');
    this.socket.on('data', (chunk: string) => {
      this.receive(chunk);
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      if (this.started > 0) this.finish(undefined);
    });
  }

  /** Sends a raw HTTP request. Call it again once the response has arrived. */
  send(request: string): void {
    this.started = performance.now();
    this.socket.write(request, 'latin1');
  }

  close(): void {
    this.started = 0;
    this.socket.destroy();
  }

  private receive(chunk: string): void {
    this.received += chunk;
    if (this.expected === undefined) {
      const end = this.received.indexOf(headersEnd);
      if (end === -1) return;
      this.expected = end + headersEnd.length + contentLength(this.received);
    }
    if (this.received.length < this.expected) return;
    const status = Number(this.received.slice(9, 12));
    this.received = '';
    this.expected = undefined;
    this.finish(status);
  }

  private finish(status: number | undefined): void {
    const milliseconds = performance.now() - this.started;
    this.started = 0;
    this.done(status, milliseconds);
  }
}

function contentLength(headers: string): number {
  const length = /\r\ncontent-length: (\d+)/i.exec(headers)?.[1];
  if (length === undefined) throw new Error('The load generator needs responses with a Content-Length');
  return Number(length);
}

export const postRequest = (
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): string => {
  const text = JSON.stringify(body);
  const own = { host: 'bench', ...headers, 'content-type': 'application/json' };
  const lines = Object.entries(own).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
};
