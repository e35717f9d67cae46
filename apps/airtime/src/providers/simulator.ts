import { command, Database, sql, statement, textOf } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type {
  AirtimeProvider,
  QueryResult,
  Reason,
  SubmitResult,
  TopUp,
  TopUpResult,
} from './airtime-provider.js';

type Outcome = TopUpResult['kind'];

/** What the simulator returns for one recipient. */
interface Script {
  readonly submit: Outcome;
  readonly query: Outcome;
}

const defaultScript: Script = { submit: 'success', query: 'success' };

/** By the last four digits of the numbers +234 700 000 xxxx. All other numbers are topped up at once. */
const scripts: Readonly<Record<string, Script>> = {
  '0002': { submit: 'failed', query: 'failed' },
  '0005': { submit: 'unknown', query: 'success' },
  '0006': { submit: 'unknown', query: 'failed' },
  '0007': { submit: 'unknown', query: 'unknown' },
};

const invalidNumber: Reason = { code: 'invalid_number', message: 'The network does not know this number' };
const noAnswer: Reason = { code: 'no_answer', message: 'The network has not answered yet' };

const insertTopUp = command(
  ({ reference, network, recipient, kobo }: TopUp, outcome: Outcome) => sql`
    INSERT INTO simulated_top_up (reference, network, recipient, amount_kobo, outcome)
    VALUES (${reference}, ${network}, ${recipient}, ${kobo}, ${outcome})`,
);

const findOutcome = statement(
  { outcome: textOf<Outcome>() },
  (reference: string) => sql`
    SELECT outcome FROM simulated_top_up WHERE reference = ${reference} ORDER BY id LIMIT 1`,
);

/**
 * Simulates a provider. It records each top-up in its own table, outside the transactions of the worker, so that its
 * records survive a crash of the worker.
 */
@Injectable()
export class Simulator implements AirtimeProvider {
  readonly name = 'simulator';

  constructor(private readonly database: Database) {}

  async submit(topUp: TopUp, signal: AbortSignal): Promise<SubmitResult> {
    const script = findScript(topUp.recipient);
    await this.database.transaction(async (transaction) => {
      await transaction.run(insertTopUp, topUp, script.query);
      signal.throwIfAborted();
    });
    return toResult(script.submit, topUp.reference);
  }

  async query(reference: string): Promise<QueryResult> {
    const [topUp] = await this.database.run(findOutcome, reference);
    return topUp ? toResult(topUp.outcome, reference) : { kind: 'not_found' };
  }
}

function findScript(recipient: string): Script {
  const [, lastDigits = ''] = /^\+234700000(\d{4})$/.exec(recipient) ?? [];
  return scripts[lastDigits] ?? defaultScript;
}

function toResult(kind: Outcome, reference: string): TopUpResult {
  switch (kind) {
    case 'success':
      return { kind, providerReference: `simulated-${reference}` };
    case 'failed':
      return { kind, reason: invalidNumber };
    case 'unknown':
      return { kind, reason: noAnswer };
  }
}
