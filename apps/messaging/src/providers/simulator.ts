import { Database, sql, type Statements } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { Answer, Inquiry, MessageProvider, Reason, Submission } from './message-provider.js';
import { type Script, scriptOf } from './simulator-scripts.js';

const invalid: Reason = { code: 'invalid_number', message: 'This number cannot receive messages' };
const silent: Reason = { code: 'no_answer', message: 'The carrier did not answer in time' };

interface Told extends Submission {
  readonly script: Script;
}

/**
 * A provider that sends nothing, and remembers everything it was told, in a table of its own and outside our
 * transactions: whatever becomes of us, it knows.
 */
@Injectable()
export class Simulator implements MessageProvider {
  readonly name = 'simulator';
  readonly channels = ['sms', 'whatsapp'] as const;

  constructor(private readonly database: Database) {}

  submit(submissions: readonly Submission[], signal: AbortSignal): Promise<Answer[]> {
    return this.database.transaction(async (transaction) => {
      const known = await this.knownOf(transaction, submissions);
      const told = submissions.map((submission) => ({
        ...submission,
        script: script(submission, known.has(submission.reference)),
      }));
      const references = await this.note(transaction, told);
      signal.throwIfAborted();
      return told.map(({ script: { told: outcome } }, place) => answerOf(outcome, references[place] ?? ''));
    });
  }

  async ask(references: readonly string[]): Promise<Inquiry[]> {
    const rows = await this.database.query<{ reference: string; id: string; outcome: string }>(sql`
      SELECT asked.reference, heard.id, heard.outcome FROM unnest(${references}::uuid[]) AS asked (reference)
      CROSS JOIN LATERAL (
        SELECT id, outcome FROM simulated_message
        WHERE reference = asked.reference AND outcome <> 'lost' ORDER BY id LIMIT 1) heard`);
    const heard = new Map(rows.map((row) => [row.reference, row]));
    return references.map((reference) => {
      const row = heard.get(reference);
      if (!row) return { kind: 'unheard' };
      return row.outcome === 'rejected'
        ? { kind: 'rejected', reason: invalid }
        : { kind: 'accepted', providerReference: row.id };
    });
  }

  /** Those that were told before, of those for whom it matters. */
  private async knownOf(
    transaction: Statements,
    submissions: readonly Submission[],
  ): Promise<ReadonlySet<string>> {
    const lost = submissions.filter(({ recipient }) => scriptOf(recipient).told === 'lost');
    if (lost.length === 0) return new Set();
    const rows = await transaction.query<{ reference: string }>(sql`
      SELECT told.reference FROM unnest(${lost.map(({ reference }) => reference)}::uuid[]) AS told (reference)
      CROSS JOIN LATERAL (SELECT FROM simulated_message WHERE reference = told.reference LIMIT 1) known`);
    return new Set(rows.map(({ reference }) => reference));
  }

  private async note(transaction: Statements, told: readonly Told[]): Promise<string[]> {
    const rows = await transaction.query<{ id: string }>(sql`
      INSERT INTO simulated_message (reference, channel, recipient, outcome, report, report_due_at)
      SELECT reference, channel::channel, recipient, outcome, report::delivery_state, CASE WHEN report IS NOT NULL
        THEN date_trunc('milliseconds', now()) + after_ms * interval '1 millisecond' END
      FROM unnest(${told.map(({ reference }) => reference)}::uuid[], ${told.map(({ channel }) => channel)}::text[],
        ${told.map(({ recipient }) => recipient)}::text[],
        ${told.map(({ script: { told: outcome } }) => (outcome === 'dropped' ? 'accepted' : outcome))}::text[],
        ${told.map(({ script: { told: outcome, report } }) => (outcome === 'lost' ? null : (report ?? null)))}::text[],
        ${told.map(({ script: { afterMs } }) => afterMs)}::int[])
        WITH ORDINALITY AS told (reference, channel, recipient, outcome, report, after_ms, place)
      ORDER BY place RETURNING id`);
    return rows.map(({ id }) => id);
  }
}

/** What is lost the first time is taken the second. */
function script({ recipient }: Submission, known: boolean): Script {
  const scripted = scriptOf(recipient);
  return known ? { ...scripted, told: 'accepted' } : scripted;
}

function answerOf(outcome: Script['told'], providerReference: string): Answer {
  switch (outcome) {
    case 'accepted':
      return { kind: 'accepted', providerReference };
    case 'rejected':
      return { kind: 'rejected', reason: invalid };
    case 'lost':
    case 'dropped':
      return { kind: 'unknown', reason: silent };
  }
}
