import { Database, unknownWhenLost } from '@gangan/database';
import type { Contract } from '@gangan/protocol';
import { ErrorPassthroughFilter, type QueueTuning } from '@gangan/queue';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ConfigSpec } from './config/define-config.js';
import { NestLogger } from './logging/nest-logger.js';
import { openQueues, waitForSchema } from './process/dependencies.js';
import { type Launch, launch, type Started } from './process/launch.js';
import { rootModule } from './process/root-module.js';
import { watchConsumption } from './watchdog/watch-consumption.js';

export interface WorkerOptions {
  /** The name of the process in logs, metrics and messages. */
  readonly name: string;
  readonly module: Type;
  readonly config?: ConfigSpec;
  /** The worker does not start if one of these has no handler. */
  readonly contracts: readonly Contract[];
  /** For workers whose jobs differ from most, such as jobs that only wait for a provider. */
  readonly tuning?: Partial<QueueTuning>;
}

/** Runs an app that handles requests and events from the queue. It waits for an unreachable database or broker. */
export const runWorker = (options: WorkerOptions): Promise<void> =>
  launch(options.name, options.config ? [options.config] : [], (process) => startWorker(options, process));

async function startWorker({ module, contracts, tuning }: WorkerOptions, process: Launch): Promise<Started> {
  const { config, logger, shutdown } = process;
  await waitForSchema(config.DATABASE_URL, logger);
  const queues = await openQueues('worker', process, tuning);
  queues.server.requireHandlers(contracts);
  const app = await NestFactory.createMicroservice(rootModule(module, process, queues), {
    strategy: queues.server,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  shutdown.closes('the app', () => app.close());
  app.useGlobalFilters(new ErrorPassthroughFilter(unknownWhenLost));
  await app.listen();
  void watchConsumption(queues.server, process);
  logger.info(
    { contracts: contracts.map(({ name }) => name) },
    contracts.length === 0 ? 'idle: serves no contract' : 'serving',
  );
  return { database: app.get(Database), queues, server: queues.server };
}
