import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Health, HealthReport } from './health.js';

export interface InternalServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `/metrics`, `/healthz` and `/readyz` to operators, on a port that is not public. */
export async function startInternalServer(
  address: { readonly host: string; readonly port: number },
  health: Health,
  metrics: Registry,
): Promise<InternalServer> {
  const routes: Readonly<Record<string, (response: ServerResponse) => Promise<void>>> = {
    '/healthz': (response) => sendReport(response, health.live()),
    '/readyz': async (response) => sendReport(response, await health.ready()),
    '/metrics': async (response) => {
      send(response, 200, metrics.contentType, await metrics.metrics());
    },
  };
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const respond = ['GET', 'HEAD'].includes(request.method ?? '') ? routes[path] : undefined;
    if (!respond) {
      send(response, 404, 'text/plain', 'Try /metrics, /healthz or /readyz\n');
      return;
    }
    respond(response).catch((error: unknown) => {
      send(response, 500, 'text/plain', `${String(error)}\n`);
    });
  });
  await listening(server, address);
  return { port: (server.address() as AddressInfo).port, close: () => closed(server) };
}

function sendReport(response: ServerResponse, report: HealthReport): Promise<void> {
  send(response, report.healthy ? 200 : 503, 'application/json', `${JSON.stringify(report)}\n`);
  return Promise.resolve();
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}

const listening = (server: Server, { host, port }: { host: string; port: number }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
