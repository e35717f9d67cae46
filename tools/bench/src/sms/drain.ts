import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '@gangan/database';
import { readValue } from '../environment/read-value.js';
import { expireDeliveries } from './deliveries.js';
import { fillMessages, settleTables } from './fill-messages.js';
import type { SmsRun } from './sms-run.js';

/** The longest that a backlog is drained in one measurement. */
const maxSeconds = 10;

/** Queues deliveries that are due, and measures the microseconds of the worker and Postgres per delivery. */
export async function measureDrain(run: SmsRun, backlog: number): Promise<number> {
  await run.untilFinal();
  // The worker must not begin before all are queued.
  run.servers.signalWorkers('SIGSTOP');
  try {
    await fillMessages(run.database, run.customers, { count: backlog, state: 'queued' });
    await settleTables(run.database);
  } finally {
    run.servers.signalWorkers('SIGCONT');
  }
  const [before, started] = [await run.usage(), performance.now()];
  while (performance.now() - started < maxSeconds * 1_000 && (await hasQueued(run))) await pause(20);
  const after = await run.usage();
  const done = backlog - (await countQueued(run));
  await expireDeliveries(run.database);
  await run.untilFinal();
  return (after.worker - before.worker + after.postgres - before.postgres) / done;
}

const hasQueued = ({ database }: SmsRun): Promise<boolean> =>
  readValue(
    database,
    sql`SELECT EXISTS (SELECT FROM delivery WHERE lane = 'sms' AND state = 'queued') AS value`,
  );

const countQueued = ({ database }: SmsRun): Promise<number> =>
  readValue(
    database,
    sql`SELECT count(*)::int AS value FROM delivery WHERE lane = 'sms' AND state = 'queued'`,
  );
