import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import type { TLSSocket } from 'node:tls';

export interface SeenCallback {
  readonly path: string | undefined;
  readonly host: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly serverName: unknown;
}

/** A server that receives callbacks. It records requests and counts connections. */
export class CallbackConsumer {
  readonly seen: SeenCallback[] = [];
  connections = 0;
  port = 0;

  private constructor(private readonly server: Server) {
    server.on('connection', () => this.connections++);
  }

  static start(
    answer: RequestListener,
    tls?: { readonly cert: string; readonly key: string },
  ): Promise<CallbackConsumer> {
    const listener: RequestListener = (request, response) => {
      consumer.receive(answer, request, response);
    };
    const consumer = new CallbackConsumer(tls ? createTlsServer(tls, listener) : createServer(listener));
    return consumer.listen();
  }

  /** Can be called twice. */
  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server as TcpServer, 'close');
  }

  private async listen(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server as TcpServer, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  private receive(answer: RequestListener, ...[request, response]: Parameters<RequestListener>): void {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { url: path, headers } = request;
      const { servername: serverName } = request.socket as TLSSocket;
      this.seen.push({ path, host: headers.host, headers, body, serverName });
      answer(request, response);
    });
  }
}
