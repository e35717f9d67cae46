import { Database, sql, statement, t } from '@gangan/database';
import { AppLogger, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

const intervalMs = 600_000;
const maxBatch = 100;

/** Claims the heads of chains that have grown, so that one worker logs each of them once a day. */
const claimHeads = statement(
  { organisation: t.nullable(t.uuid), number: t.bigint, hash: t.text },
  (limit: number) => sql`
    UPDATE audit_chain SET logged_number = number, logged_at = now() WHERE id = ANY (ARRAY(
      SELECT id FROM audit_chain
      WHERE number > logged_number AND (logged_at IS NULL OR logged_at < now() - interval '1 day')
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING organisation_id AS organisation, number, encode(hash, 'hex') AS hash`,
);

/**
 * Logs the last number and hash of each chain of the audit log. An intruder who can change the database can compute a
 * chain again, but cannot change a log that was sent elsewhere. This worker does it because it has no secrets and
 * reaches no network.
 */
@Injectable()
export class AuditHeads {
  constructor(
    private readonly database: Database,
    private readonly logger: AppLogger,
  ) {}

  @Periodic('logging the heads of the audit log', intervalMs)
  async log(): Promise<boolean> {
    const heads = await this.database.run(claimHeads, maxBatch);
    if (heads.length > 0)
      this.logger.info(
        { audit_heads: heads.map(({ number, ...head }) => ({ ...head, number: Number(number) })) },
        'the heads of the audit log: `pnpm admin audit check --heads` compares them',
      );
    return heads.length === maxBatch;
  }
}
