import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import type { HealthReport } from './health.js';
import type { ProcessHealth } from './process-health.js';

export type InternalServer = Awaited<ReturnType<typeof startInternalServer>>;

type Response = readonly [status: number, type: string, body: string];

const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Serves `/metrics`, `/healthz` and `/readyz` to operators, on a port that is not public. */
export async function startInternalServer(
  { hosts, port }: { readonly hosts: readonly string[]; readonly port: number },
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
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    void respond(request.method, request.url)
      .catch((error: unknown): Response => [500, 'text/plain', `${String(error)}\n`])
      .then(([status, type, body]) =>
        response.writeHead(status, { 'content-type': type, ...headers }).end(body),
      );
  };
  const servers: Server[] = [];
  let address: AddressInfo | undefined;
  for (const host of hosts) {
    const server = createServer(handle).listen(address?.port ?? port, host);
    await once(server, 'listening');
    address ??= server.address() as AddressInfo;
    servers.push(server);
  }
  return {
    /** One of the addresses. */
    host: address?.address ?? '',
    port: address?.port ?? 0,
    close: async () => {
      await Promise.all(servers.map(closeServer));
    },
  };
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

const toResponse = (report: HealthReport): Response => [
  report.healthy ? 200 : 503,
  'application/json',
  `${JSON.stringify(report)}\n`,
];
