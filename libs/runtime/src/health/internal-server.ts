import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import type { HealthReport } from './health.js';
import type { ProcessHealth } from './process-health.js';

export type InternalServer = Awaited<ReturnType<typeof startInternalServer>>;

type Response = readonly [status: number, type: string, body: string];

/** Serves `/metrics`, `/healthz` and `/readyz` to operators, on a port that is not public. */
export async function startInternalServer(
  { host, port }: { readonly host: string; readonly port: number },
  health: Pick<ProcessHealth, 'live' | 'ready'>,
  metrics: () => Promise<string>,
) {
  const routes: Readonly<Record<string, () => Response | Promise<Response>>> = {
    '/healthz': () => toResponse(health.live()),
    '/readyz': async () => toResponse(await health.ready()),
    '/metrics': async () => [200, Registry.PROMETHEUS_CONTENT_TYPE, await metrics()],
  };
  const respond = async (method = '', url = ''): Promise<Response> => {
    const route = ['GET', 'HEAD'].includes(method) ? routes[url.split('?')[0] ?? ''] : undefined;
    return route ? route() : [404, 'text/plain', 'Try /metrics, /healthz or /readyz\n'];
  };
  const server = createServer((request, response) => {
    void respond(request.method, request.url)
      .catch((error: unknown): Response => [500, 'text/plain', `${String(error)}\n`])
      .then(([status, type, body]) =>
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body),
      );
  }).listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const toResponse = (report: HealthReport): Response => [
  report.healthy ? 200 : 503,
  'application/json',
  `${JSON.stringify(report)}\n`,
];
