import { Database, sql } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { AirtimeProvider, Finding, Inquiry, Reason, Submission, TopUp } from '../airtime-provider.js';
import { scriptOf } from './scripted-outcomes.js';

const refused: Reason = { code: 'invalid_number', message: 'The network does not know this number' };
const silent: Reason = { code: 'no_answer', message: 'The network has not answered yet' };

/**
 * A provider that tops nobody up, and remembers everything it was told, in a table of its own and outside our
 * transactions: whatever becomes of us, it knows.
 */
@Injectable()
export class Simulator implements AirtimeProvider {
  readonly name = 'simulator';

  constructor(private readonly database: Database) {}

  async submit({ reference, network, recipient, kobo }: TopUp, signal: AbortSignal): Promise<Submission> {
    const { told, asked } = scriptOf(recipient);
    await this.database.transaction(async (transaction) => {
      await transaction.execute(sql`
        INSERT INTO simulated_top_up (reference, network, recipient, amount_kobo, outcome)
        VALUES (${reference}, ${network}, ${recipient}, ${kobo}, ${asked})`);
      signal.throwIfAborted();
    });
    return findingOf(told, reference);
  }

  async ask(reference: string): Promise<Inquiry> {
    const [heard] = await this.database.query<{ outcome: Finding['kind'] }>(sql`
      SELECT outcome FROM simulated_top_up WHERE reference = ${reference} ORDER BY id LIMIT 1`);
    return heard ? findingOf(heard.outcome, reference) : { kind: 'unheard' };
  }
}

function findingOf(outcome: Finding['kind'], reference: string): Finding {
  switch (outcome) {
    case 'success':
      return { kind: 'success', providerReference: `simulated-${reference}` };
    case 'failed':
      return { kind: 'failed', reason: refused };
    case 'unknown':
      return { kind: 'unknown', reason: silent };
  }
}
