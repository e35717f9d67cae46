import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '@gangan/database';
import { sendRequest } from '@gangan/testing';
import type { Customer } from '../environment/customers.js';
import { smsBody } from './sms-requests.js';
import type { SmsRun } from './sms-run.js';

const perRequest = 1_000;
const requestsAtOnce = 4;
const messages = 5;
const betweenMs = 300;
const timeoutMs = 120_000;
const isSubmitted = sql`state::text IN ('sent', 'delivered')`;

export interface Fairness {
  /** From each request of the other organisation until it is stored that the carrier has the message. */
  readonly milliseconds: readonly number[];
  /** How much of the backlog was left after the last of them. */
  readonly left: number;
  /** Recipients submitted per second meanwhile. */
  readonly perSecond: number;
}

/** Measures how long messages of one organisation wait while another has a backlog of recipients. */
export async function measureFairness(run: SmsRun, backlog: number): Promise<Fairness> {
  const [many, other] = run.customers;
  if (!many || !other) throw new Error('Two organisations are needed');
  await fill(run, many, backlog);
  const [started, submittedBefore] = [performance.now(), await countSubmitted(run)];
  const milliseconds: number[] = [];
  for (let count = 0; count < messages; count += 1) {
    milliseconds.push(await timeToSubmit(run, other));
    await pause(betweenMs);
  }
  const seconds = (performance.now() - started) / 1_000;
  const perSecond = ((await countSubmitted(run)) - submittedBefore) / seconds;
  return { milliseconds, left: await waiting(run, many), perSecond };
}

async function fill(run: SmsRun, customer: Customer, backlog: number): Promise<void> {
  let open = backlog;
  const send = async (): Promise<void> => {
    while (open > 0) {
      const recipients = Math.min(perRequest, open);
      open -= recipients;
      await post(run, customer, recipients);
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, send));
}

async function timeToSubmit(run: SmsRun, customer: Customer): Promise<number> {
  const started = performance.now();
  const id = await post(run, customer, 1);
  while (performance.now() - started < timeoutMs) {
    const [row] = await run.database.query(
      sql`SELECT FROM delivery WHERE message_id = ${id} AND ${isSubmitted} LIMIT 1`,
    );
    if (row) return performance.now() - started;
    await pause(5);
  }
  throw new Error(`A message was not submitted within ${timeoutMs / 1_000} s`);
}

/** Returns the id of the message. */
async function post(run: SmsRun, { key }: Customer, recipients: number): Promise<string> {
  const question = { method: 'POST', path: '/sms/send', key, body: smsBody(recipients) } as const;
  const [port = 0] = await run.servers.ports('delivering');
  const { status, body } = await sendRequest(`http://127.0.0.1:${port}`, question);
  if (status !== 200) throw new Error(`POST /sms/send responded ${JSON.stringify(body)}`);
  return (body as { id: string }).id;
}

async function countSubmitted(run: SmsRun): Promise<number> {
  const [row] = await run.database.query<{ count: number }>(
    sql`SELECT count(*)::int AS count FROM delivery WHERE ${isSubmitted}`,
  );
  return row?.count ?? 0;
}

async function waiting(run: SmsRun, { organisationId }: Customer): Promise<number> {
  const [row] = await run.database.query<{ count: number }>(sql`
    SELECT count(*)::int AS count FROM delivery
    WHERE organisation_id = ${organisationId} AND lane = 'sms' AND state = 'queued'`);
  return row?.count ?? 0;
}
