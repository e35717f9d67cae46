import { formatTimestamp } from '@gangan/contracts';
import { command, type Models, sql, type SqlRunner } from '@gangan/database';
import { newId } from '@gangan/protocol';
import type { Access, Principal } from './access.js';

/** What the audit log keeps of a change: no keys, secrets or phone numbers. */
export interface AuditEntry {
  readonly organisationId?: string | null | undefined;
  /** What was changed, as operators call it. */
  readonly target: string;
  readonly before?: object | undefined;
  readonly after?: object | undefined;
}

/** Adds an entry to the audit log, in the transaction of the change. */
export type WriteAudit = (entry: AuditEntry) => Promise<void>;

const insertEntry = command(
  (
    actor: string,
    action: string,
    organisationId: string | null,
    target: string,
    before: string | null,
    after: string | null,
  ) => sql`
    INSERT INTO audit_log (id, actor, action, organisation_id, target, before, after)
    VALUES (${newId()}::uuid, ${actor}, ${action}, ${organisationId}::uuid, ${target}, ${before}::jsonb, ${after}::jsonb)`,
);

/**
 * Runs a change in a transaction, in which `log` adds an entry to the audit log: both are committed, or neither.
 * @param action the command that makes the change, such as `keys issue`
 */
export const change = <T>(
  { database, principal }: Access,
  action: string,
  work: (models: Models, log: WriteAudit) => Promise<T>,
): Promise<T> =>
  database.$transaction((models) => work(models, (entry) => audit(models, principal, action, entry)));

/** Adds an entry to the audit log, in the transaction of the change. */
export async function audit(
  transaction: Models | SqlRunner,
  { name }: Principal,
  action: string,
  { organisationId = null, target, before, after }: AuditEntry,
): Promise<void> {
  const [earlier, later] = [before, after].map((values) => (values ? toJson(values) : null));
  const entry = [name, action, organisationId, target, earlier ?? null, later ?? null] as const;
  if ('run' in transaction) await transaction.run(insertEntry, ...entry);
  else await transaction.$executeRaw(insertEntry.build(...entry));
}

/** JSON with times as the API has them, and without empty values. */
export const toJson = (value: object, indentation?: number): string =>
  JSON.stringify(
    value,
    // A replacer gets dates as text, so it looks at the object that contains them.
    function (this: Record<string, unknown>, name, given: unknown) {
      const cell = this[name];
      return cell instanceof Date ? formatTimestamp(cell) : (given ?? undefined);
    },
    indentation,
  );
