import { connect, type Socket } from 'node:net';

/** The status of a response, or 0 if the connection broke. */
export type Answer = (status: number, milliseconds: number) => void;

const headersEnd = '\r\n\r\n';

/**
 * One keep-alive connection that sends one request after the other. It parses only the status and the length of a response:
 * the load generator shares the cores with the system that it measures, and any HTTP client takes twice as long or more.
 */
export class Exchange {
  private readonly socket: Socket;
  private received = '';
  private expected = Infinity;
  private started = 0;

  constructor(
    port: number,
    private readonly answer: Answer,
  ) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.setEncoding('latin1');
    this.socket.on('data', (chunk: string) => {
      this.receive(chunk);
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      if (this.started > 0) this.finish(0);
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
    const end = this.expected === Infinity ? this.received.indexOf(headersEnd) : -1;
    if (end !== -1) this.expected = end + headersEnd.length + contentLength(this.received);
    if (this.received.length < this.expected) return;
    const status = Number(this.received.slice(9, 12));
    this.received = '';
    this.expected = Infinity;
    this.finish(status);
  }

  private finish(status: number): void {
    const milliseconds = performance.now() - this.started;
    this.started = 0;
    this.answer(status, milliseconds);
  }
}

function contentLength(headers: string): number {
  const length = /\r\ncontent-length: (\d+)/i.exec(headers)?.[1];
  if (length === undefined) throw new Error('The load generator needs responses with a Content-Length');
  return Number(length);
}

/** A raw request of a customer. */
export function postRequest(path: string, key: string, body: object): string {
  const text = JSON.stringify(body);
  const head = `POST ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: ${key}\r\ncontent-type: application/json`;
  return `${head}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
