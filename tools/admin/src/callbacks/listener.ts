import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import process from 'node:process';
import { CommandError } from '../session/errors.js';

const maxBytes = 1_048_576;

/**
 * Receives POST requests at a port of this machine until so many were accepted, or the process is interrupted.
 * @param accept returns whether the request is accepted; an error ends the listener
 */
export async function receive(
  port: number,
  count: number,
  onOpen: (url: string) => void,
  accept: (headers: Readonly<Record<string, string>>, body: string) => Promise<boolean>,
): Promise<void> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server as TcpServer, 'listening').catch((cause: unknown) => {
    throw new CommandError(`Port ${port} is not available: choose another with --port.`, { cause });
  });
  const enough = new Promise<void>((resolve, reject) => {
    let missing = count;
    const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end();
      const body = await readBody(request).catch(() => undefined);
      if (body === undefined) return void response.writeHead(413, { connection: 'close' }).end();
      // Node returns all headers of a request as text, except set-cookie.
      const accepted = await accept(request.headers as Record<string, string>, body);
      if (accepted) missing -= 1;
      response.writeHead(accepted ? 204 : 401).end(() => {
        if (missing <= 0) resolve();
      });
    };
    server.on('request', (request, response) => void respond(request, response).catch(reject));
  });
  onOpen(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const ending = new AbortController();
  const interrupted = ['SIGINT', 'SIGTERM'].map((name) => once(process, name, { signal: ending.signal }));
  try {
    await Promise.race([enough, ...interrupted]);
  } finally {
    ending.abort();
    server.close();
    server.closeAllConnections();
  }
}

/** @returns undefined if it is too large */
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
