import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import process from 'node:process';
import { CommandError } from '../session/errors.js';

export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const maxBytes = 1_048_576;

/** Receives POST requests on a port of this machine, until enough were accepted or it is interrupted. */
export class Listener {
  private stop: (error?: Error) => void = () => undefined;
  private readonly stopped = new Promise<void>((resolve, reject) => {
    this.stop = (error) => {
      if (error) reject(error);
      else resolve();
    };
  });

  private constructor(
    private readonly server: Server,
    private missing: number,
    private readonly accept: (received: Received) => Promise<boolean>,
  ) {
    server.on('request', (request, response) => void this.respond(request, response));
  }

  /** @param accept returns whether the request is accepted; an error ends the listener */
  static async open(
    port: number,
    count: number,
    accept: (received: Received) => Promise<boolean>,
  ): Promise<Listener> {
    const server = createServer();
    server.listen(port, '127.0.0.1');
    await once(server as TcpServer, 'listening').catch((cause: unknown) => {
      throw new CommandError(`Port ${port} is not available: choose another with --port.`, { cause });
    });
    return new Listener(server, count, accept);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async ended(): Promise<void> {
    const interrupt = (): void => {
      this.stop();
    };
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
    try {
      await this.stopped;
    } finally {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
      this.server.close();
      this.server.closeAllConnections();
    }
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end();
    const body = await readBody(request).catch(() => undefined);
    if (body === undefined) return void response.writeHead(413, { connection: 'close' }).end();
    try {
      const accepted = await this.accept({ headers: singleHeaders(request), body });
      if (accepted) this.missing -= 1;
      response.writeHead(accepted ? 204 : 401).end(() => {
        if (this.missing <= 0) this.stop();
      });
    } catch (error) {
      this.stop(error as Error);
    }
  }
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

const singleHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter((header): header is [string, string] => typeof header[1] === 'string'),
  );
