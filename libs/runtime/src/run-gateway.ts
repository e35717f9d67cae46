import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Database } from '@gangan/database';
import type { Contract } from '@gangan/protocol';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Configs, ConfigSpec } from './config/define-config.js';
import { HttpConfig } from './config/runtime-config.js';
import { openQueues, waitForSchema } from './process/dependencies.js';
import type { Launch } from './process/host-process.js';
import { launch, type Started } from './process/launch.js';
import { rootModule } from './process/root-module.js';
import { explainListenError } from './process/supervisor.js';

/** The options of the Fastify server: body limit, timeouts, error handlers. */
export type HttpServerOptions = NonNullable<ConstructorParameters<typeof FastifyAdapter>[0]>;

export interface GatewayOptions {
  readonly name: 'gateway';
  readonly module: Type;
  readonly config?: ConfigSpec;
  readonly sends: readonly Contract[];
  readonly server?: (configs: Configs) => HttpServerOptions;
  /** Called after the app is created and before it listens. */
  readonly configure?: (app: NestFastifyApplication) => void | Promise<void>;
}

/**
 * Lets the heap grow to four times its size between two full garbage collections. V8 does that by itself only if much is
 * allocated; otherwise the heap may grow by a tenth. Request bodies count as well: 30 bodies of 200 KB per second would cause
 * two collections per second, each of which delays all requests.
 */
export const heapGrowth = '--heap-growing-percent=300';

/** Runs the HTTP app. It listens at once, and is not ready while the database or the broker is unreachable. */
export const runGateway = (options: GatewayOptions): Promise<void> =>
  launch(options.name, [
    {
      name: options.name,
      config: [HttpConfig, ...(options.config ? [options.config] : [])],
      contracts: options.sends,
      start: (launch) => startGateway(options, launch),
    },
  ]);

async function startGateway(
  { module, server, configure }: GatewayOptions,
  process: Launch,
): Promise<Started> {
  const { config, configs, logger, shutdown } = process;
  setFlagsFromString(heapGrowth);
  const queues = await openQueues('producer', process);
  // Loaded here, so that workers do not load it.
  const { FastifyAdapter } = await import('@nestjs/platform-fastify');
  const adapter = new FastifyAdapter({ return503OnClosing: false, ...server?.(configs) });
  const app = await NestFactory.create<NestFastifyApplication>(rootModule(module, process, queues), adapter, {
    abortOnError: false,
  });
  shutdown.closes('the app', () => app.close());
  await configure?.(app);
  closeConnectionsWhen(() => shutdown.isRequested, app);
  const { HOST: host, PORT: port, SHUTDOWN_DELAY_SECONDS: delaySeconds } = configs.of(HttpConfig);
  await app.listen(port, host).catch((error: unknown) => {
    throw explainListenError(error, port, 'PORT');
  });
  shutdown.closes('the HTTP server', () => finishRequests(app));
  // The load balancer sends requests until its health checks have failed.
  shutdown.closes('the shutdown delay', () => pause(delaySeconds * 1_000));
  await waitForSchema(config.DATABASE_URL, logger);
  return { database: app.get(Database), queues, port: (app.getHttpServer().address() as AddressInfo).port };
}

/** The client of a closed connection opens a new one, which the load balancer gives to another gateway. */
function closeConnectionsWhen(isStopping: () => boolean, app: NestFastifyApplication): void {
  app.getHttpServer().prependListener('request', (_request, response) => {
    if (isStopping()) response.setHeader('connection', 'close');
  });
}

/** Accepts no more connections and waits for the requests in flight. Connections that become idle are closed. */
async function finishRequests(app: NestFastifyApplication): Promise<void> {
  const sweep = setInterval(() => {
    app.getHttpServer().closeIdleConnections();
  }, 100);
  await app.getHttpAdapter().close();
  clearInterval(sweep);
}
