import type { AppName } from '@gangan/protocol';
import { Queues } from '@gangan/queue';
import { until } from '@gangan/testing';
import type { BenchEnvironment } from './bench-environment.js';

/** Logs errors only. */
export const quietLogger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (details: object, message: string) =>
    void process.stderr.write(`${message} ${JSON.stringify(details)}\n`),
  fatal: () => undefined,
};

/** Opens the queue as an app does, and waits until it responds. */
export async function openProducer({ queue, resources }: BenchEnvironment, app: AppName): Promise<Queues> {
  const queues = await Queues.open({ ...queue, app }, 'producer', quietLogger);
  resources.atEnd(() => queues.close());
  resources.atEnd(() => queues.client.close());
  await until('the queue responds', () =>
    queues.ping().then(
      () => true,
      () => false,
    ),
  );
  return queues;
}
