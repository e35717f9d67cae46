import { command, type Models, sql, type SqlRunner } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { asJson, type Row } from '../session/print.js';

/** A change, without keys, secrets and phone numbers. */
export interface AuditEntry {
  readonly organisationId?: string | undefined;
  /** What was changed, as operators call it. */
  readonly target: string;
  readonly before?: Row | undefined;
  readonly after?: Row | undefined;
}

/** A transaction of the Prisma models or of declared statements. */
export type AuditedTransaction = Models | SqlRunner;

interface StoredEntry {
  readonly id: string;
  readonly actor: string;
  readonly action: string;
  readonly organisationId: string | null;
  readonly target: string;
  readonly before: string | null;
  readonly after: string | null;
}

const insertEntry = command(
  ({ id, actor, action, organisationId, target, before, after }: StoredEntry) => sql`
    INSERT INTO audit_log (id, actor, action, organisation_id, target, before, after)
    VALUES (${id}::uuid, ${actor}, ${action}, ${organisationId}::uuid, ${target}, ${before}::jsonb, ${after}::jsonb)`,
);

/** Call it in the transaction of the change: both are committed, or neither. */
export async function addEntry(
  transaction: AuditedTransaction,
  actor: string,
  action: string,
  { organisationId, target, before, after }: AuditEntry,
): Promise<void> {
  const entry = {
    id: newId(),
    actor,
    action,
    target,
    organisationId: organisationId ?? null,
    before: before ? asJson(before) : null,
    after: after ? asJson(after) : null,
  };
  if ('run' in transaction) await transaction.run(insertEntry, entry);
  else await transaction.$executeRaw(insertEntry.build(entry));
}
