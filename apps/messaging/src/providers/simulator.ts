import { EventEmitter, once } from 'node:events';
import { deliveryReason } from '@gangan/contracts';
import { type Channel, Database, sql, statement, type Statements, t } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { OutboxRepository, type StoredOutcome } from '../outbox/outbox.repository.js';
import {
  type AskResult,
  type MessageProvider,
  simulatorName,
  type Submission,
  type SubmitResult,
} from './message-provider.js';

const invalidNumber = deliveryReason('invalid_number');
const noAnswer = deliveryReason('no_answer');

interface Script {
  /** `lost`: the first call is neither answered nor stored. `dropped`: it is accepted, and the answer is lost. */
  readonly outcome: 'accepted' | 'rejected' | 'lost' | 'dropped';
  readonly report?: 'delivered' | 'undelivered';
  readonly afterMs: number;
  /** On WhatsApp: how long after its delivery it is read. */
  readonly readAfterMs?: number;
  /** The script on WhatsApp, if it differs. */
  readonly onWhatsApp?: Script;
}

const defaultScript: Script = { outcome: 'accepted', report: 'delivered', afterMs: 0 };

/** Scripts by the last four digits of +234 700 000 xxxx. Every other number is delivered at once. */
const scripts: Readonly<Record<string, Script>> = {
  '0002': { outcome: 'rejected', afterMs: 0 },
  '0003': { outcome: 'accepted', report: 'delivered', afterMs: 5_000 },
  '0004': { outcome: 'accepted', report: 'undelivered', afterMs: 0 },
  '0005': { outcome: 'lost', report: 'delivered', afterMs: 0 },
  '0006': { outcome: 'dropped', report: 'delivered', afterMs: 0 },
  '0007': { outcome: 'accepted', afterMs: 0 },
  '0009': { ...defaultScript, readAfterMs: 2_000 },
  '0010': { ...defaultScript, onWhatsApp: { outcome: 'rejected', afterMs: 0 } },
};

type ScriptedSubmission = Submission & { readonly script: Script };

const findAccepted = statement(
  { reference: t.uuid, id: t.uuid, outcome: t.textOf<'accepted' | 'rejected'>() },
  (references: readonly string[]) => sql`
    SELECT asked.reference, found.id, found.outcome FROM unnest(${references}::uuid[]) AS asked (reference)
    CROSS JOIN LATERAL (
      SELECT id, outcome FROM simulated_message
      WHERE reference = asked.reference AND outcome <> 'lost' ORDER BY id LIMIT 1) found`,
);

const findSubmitted = statement(
  { reference: t.uuid },
  (references: readonly string[]) => sql`
    SELECT given.reference FROM unnest(${references}::uuid[]) AS given (reference)
    CROSS JOIN LATERAL (SELECT FROM simulated_message WHERE reference = given.reference LIMIT 1) known`,
);

const storeSubmissions = statement(
  { id: t.uuid },
  (submissions: readonly ScriptedSubmission[]) => sql`
    INSERT INTO simulated_message (reference, channel, recipient, outcome, report, report_due_at)
    SELECT reference, channel::channel, recipient, outcome, report::delivery_state, CASE WHEN report IS NOT NULL
      THEN date_trunc('milliseconds', now()) + after_ms * interval '1 millisecond' END
    FROM unnest(${submissions.map(({ reference }) => reference)}::uuid[],
      ${submissions.map(({ channel }) => channel)}::text[],
      ${submissions.map(({ recipient }) => recipient)}::text[],
      ${submissions.map(({ script }) => storedOutcome(script))}::text[],
      ${submissions.map(({ script }) => (script.outcome === 'lost' ? null : (script.report ?? null)))}::text[],
      ${submissions.map(({ script }) => script.afterMs)}::int[])
      WITH ORDINALITY AS given (reference, channel, recipient, outcome, report, after_ms, position)
    ORDER BY position RETURNING id`,
);

/** The answer of a dropped call is lost, the message is not. */
const storedOutcome = ({ outcome }: Script): StoredOutcome => (outcome === 'dropped' ? 'accepted' : outcome);

/** A provider that sends nothing. It stores what it accepts in its own table, outside the caller's transactions. */
@Injectable()
export class Simulator implements MessageProvider {
  readonly name = simulatorName;
  readonly channels = ['sms', 'whatsapp'] as const;
  /** When this process last stored messages, by `performance.now()`. */
  private lastSubmittedAt = -Infinity;
  private readonly events = new EventEmitter();

  constructor(
    private readonly database: Database,
    private readonly outbox: OutboxRepository,
  ) {}

  submit(submissions: readonly Submission[], signal: AbortSignal): Promise<SubmitResult[]> {
    return this.database.transaction(async (transaction) => {
      const known = await submittedBefore(transaction, submissions);
      const scripted = submissions.map((submission) => ({
        script: scriptFor(submission, known.has(submission.reference)),
        ...submission,
      }));
      const rows = await transaction.run(storeSubmissions, scripted);
      await this.outbox.store(
        transaction,
        scripted.map((each) => ({ ...each, outcome: storedOutcome(each.script) })),
      );
      signal.throwIfAborted();
      this.lastSubmittedAt = performance.now();
      this.events.emit('submitted');
      return scripted.map(({ script }, index) => resultOf(script.outcome, rows[index]?.id ?? ''));
    });
  }

  /** Waits until this process stores a message, unless it has done so in the last `ms`, or until `signal` aborts. */
  async submitted(ms: number, signal: AbortSignal): Promise<void> {
    if (performance.now() - this.lastSubmittedAt < ms) return;
    await once(this.events, 'submitted', { signal }).catch(() => undefined);
  }

  async ask(references: readonly string[]): Promise<AskResult[]> {
    const rows = await this.database.run(findAccepted, references);
    const found = new Map(rows.map((row) => [row.reference, row]));
    return references.map((reference) => {
      const row = found.get(reference);
      return row ? resultOf(row.outcome, row.id) : { kind: 'not_found' };
    });
  }
}

/** Which submissions are repeated. Looked up only for recipients whose script depends on it. */
async function submittedBefore(transaction: Statements, submissions: readonly Submission[]) {
  const lost = submissions.filter((submission) => scriptFor(submission, false).outcome === 'lost');
  if (lost.length === 0) return new Set<string>();
  const rows = await transaction.run(
    findSubmitted,
    lost.map(({ reference }) => reference),
  );
  return new Set(rows.map(({ reference }) => reference));
}

/** What is lost the first time is accepted the second time. */
function scriptFor({ recipient, channel }: Submission, isKnown: boolean): Script {
  const general = scriptOf(recipient);
  const script = channel === 'whatsapp' ? (general.onWhatsApp ?? general) : general;
  return isKnown ? { ...script, outcome: 'accepted' } : script;
}

function scriptOf(recipient: string): Script {
  const [, last = ''] = /^\+234700000(\d{4})$/.exec(recipient) ?? [];
  return scripts[last] ?? defaultScript;
}

/** Whether free text on WhatsApp is refused, unless the recipient has written: the only number with a closed window. */
export const hasClosedWindow = (recipient: string): boolean => recipient === '+2347000000008';

/** How long after its delivery a message is read; undefined if that is not reported. */
export const readDelay = (channel: Channel, recipient: string): number | undefined =>
  channel === 'whatsapp' ? scriptOf(recipient).readAfterMs : undefined;

function resultOf(outcome: Script['outcome'], providerReference: string): SubmitResult {
  switch (outcome) {
    case 'accepted':
      return { kind: 'accepted', providerReference };
    case 'rejected':
      return { kind: 'rejected', reason: invalidNumber };
    case 'lost':
    case 'dropped':
      return { kind: 'unknown', reason: noAnswer };
  }
}
