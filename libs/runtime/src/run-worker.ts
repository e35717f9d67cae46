import { setFlagsFromString } from 'node:v8';
import { Database, unknownWhenLost } from '@gangan/database';
import type { Contract } from '@gangan/protocol';
import { ErrorPassthroughFilter, type QueueTuning } from '@gangan/queue';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ConfigSpec } from './config/define-config.js';
import type { AppLogger } from './logging/logger.js';
import { openQueues, requireSpendLimits, waitForSchema } from './process/dependencies.js';
import type { Launch } from './process/host-process.js';
import { type App, launch, type Started } from './process/launch.js';
import { rootModule } from './process/root-module.js';
import { watchConsumption } from './watchdog/watch-consumption.js';

export interface WorkerOptions {
  /** The name of the app, and of its process if it runs alone, in logs, metrics and messages. */
  readonly name: string;
  readonly module: Type;
  readonly config?: ConfigSpec;
  /** The worker does not start if one of these has no handler. */
  readonly contracts: readonly Contract[];
  readonly sends?: readonly Contract[];
  /** For workers whose jobs differ from most, such as jobs that only wait for a provider. */
  readonly tuning?: Partial<QueueTuning>;
  /**
   * Whether requests use the Prisma client. It is then loaded before the worker takes requests, so that the first of them does
   * not wait for it. Not in a process with several workers, which must use little memory.
   */
  readonly usesModels?: boolean;
}

/**
 * WebAssembly is compiled by the baseline compiler only. The query compiler of Prisma then takes half the processor time to
 * load and less memory; the optimising compiler would gain little, because compiled queries are cached.
 */
export const baselineWebAssembly = '--liftoff-only';

/** The workers that `runWorkers` collects. */
let collected: WorkerOptions[] | undefined;

/** Runs an app that handles requests and events from the queue. It waits for an unreachable database or broker. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  if (collected) collected.push(options);
  else await launch(options.name, [appOf(options)]);
}

/**
 * Runs several workers in one process.
 * @param name the name of the process in logs, metrics and messages
 * @param load imports the executables of the workers; each calls `runWorker`
 */
export async function runWorkers(name: string, load: () => Promise<void>): Promise<void> {
  const workers = (collected = []);
  await load();
  collected = undefined;
  await launch(name, workers.map(appOf));
}

const appOf = (options: WorkerOptions): App => ({
  name: options.name,
  config: options.config ? [options.config] : [],
  contracts: [...options.contracts, ...(options.sends ?? [])],
  start: (launch) => startWorker(options, launch),
});

async function startWorker(
  { module, contracts, tuning, usesModels = false }: WorkerOptions,
  process: Launch,
): Promise<Started> {
  const { config, logger, shutdown } = process;
  setFlagsFromString(baselineWebAssembly);
  await waitForSchema(config.DATABASE_URL, logger);
  await requireSpendLimits(process);
  const queues = await openQueues('worker', process, tuning);
  queues.server.requireHandlers(contracts);
  const app = await NestFactory.createMicroservice(rootModule(module, process, queues), {
    strategy: queues.server,
    abortOnError: false,
  });
  shutdown.closes('the app', () => app.close());
  app.useGlobalFilters(new ErrorPassthroughFilter(unknownWhenLost));
  const database = app.get(Database);
  if (usesModels && process.isAlone) await loadClient(database, logger);
  await app.listen();
  void watchConsumption(queues.server, process);
  logger.info(
    { contracts: contracts.map(({ name }) => name) },
    contracts.length === 0 ? 'idle: serves no contract' : 'serving',
  );
  return { database, queues, server: queues.server };
}

/** If the database is unavailable, the first query loads the client. */
async function loadClient(database: Database, logger: AppLogger): Promise<void> {
  try {
    await database.loadClient();
    logger.debug({}, 'loaded the Prisma client');
  } catch (error) {
    logger.debug({ err: error }, 'could not load the Prisma client');
  }
}
