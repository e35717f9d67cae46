import { Database, unknownWhenLost } from '@gangan/database';
import type { Contract } from '@gangan/protocol';
import { ErrorPassthroughFilter, type QueueTuning } from '@gangan/queue';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ConfigSpec } from './config/define-config.js';
import { NestLogger } from './logging/nest-logger.js';
import { currentSchema } from './process/current-schema.js';
import { type Launch, launch, type Started } from './process/launch.js';
import { openQueues } from './process/open-queues.js';
import { rootModule } from './process/root-module.js';

export interface WorkerOptions {
  /** What the process is called in logs, metrics and messages. */
  readonly name: string;
  readonly module: Type;
  readonly config?: ConfigSpec;
  /** The worker refuses to start while one of these has no handler. */
  readonly contracts: readonly Contract[];
  /** Where its jobs are of another kind than most, such as those that only wait for somebody outside. */
  readonly tuning?: Partial<QueueTuning>;
}

/** Runs an app that answers requests and events from the queue. Waits, for ever, for a database or broker that is away. */
export const runWorker = (options: WorkerOptions): Promise<void> =>
  launch(options.name, options.config ? [options.config] : [], (process) => startWorker(options, process));

async function startWorker({ module, contracts, tuning }: WorkerOptions, process: Launch): Promise<Started> {
  const { config, logger, shutdown } = process;
  await currentSchema(config.DATABASE_URL, logger);
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
  logger.info(
    { contracts: contracts.map(({ name }) => name) },
    contracts.length === 0 ? 'no contract is served yet: idle' : 'serving',
  );
  return { database: app.get(Database), queues, server: queues.server };
}
