import { type ContactImportProblem, maxImportProblems } from '@gangan/contracts';
import { Database, sql, type Statements } from '@gangan/database';
import { LeaseLostError } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import type { Held } from '../transfers/held.js';
import { Leases, renewed, stillHeld } from '../transfers/leases.js';
import type { Place } from './csv-lines.js';

/** What a worker has to know to go on. */
export interface Progress {
  readonly delimiter: string;
  readonly columns: readonly string[];
  readonly upsertColumnId: string | null;
  readonly bytes: number;
  readonly end: Place;
}

/** What came of some lines, up to a place. */
export interface Outcome {
  readonly end: Place;
  readonly created: number;
  readonly updated: number;
  readonly problems: readonly ContactImportProblem[];
}

interface ProgressRow {
  readonly delimiter: string;
  readonly columns: readonly string[];
  readonly upsertColumnId: string | null;
  readonly bytes: bigint;
  readonly taken: bigint;
  readonly line: number;
}

@Injectable()
export class ImportProgressRepository {
  readonly leases: Leases;

  constructor(private readonly database: Database) {
    this.leases = new Leases(database, 'import');
  }

  /** @throws LeaseLostError */
  async read(held: Held): Promise<Progress> {
    const [row] = await this.database.query<ProgressRow>(sql`
      SELECT delimiter, columns, upsert_column_id AS "upsertColumnId", bytes, taken, line
      FROM contact_import WHERE ${stillHeld(held)}`);
    if (!row) throw new LeaseLostError();
    const { taken, line, bytes, ...rest } = row;
    return { ...rest, bytes: Number(bytes), end: { bytes: Number(taken), line } };
  }

  /** The file from a place on, a part at a time. */
  async *parts(held: Held, from: number, bytes: number): AsyncGenerator<Buffer> {
    for (let at = from; at < bytes;) {
      const [part] = await this.database.query<{ begins: bigint; data: Buffer }>(sql`
        SELECT begins, data FROM contact_import_part
        WHERE import_id = ${held.id} AND begins <= ${at} ORDER BY begins DESC LIMIT 1`);
      const rest = part?.data.subarray(at - Number(part.begins));
      // Whoever else has taken it over is done with the part, or something is wrong.
      if (!rest || rest.length === 0) throw new LeaseLostError();
      yield rest;
      at += rest.length;
    }
  }

  /** Rows and how far it is, both or neither. @throws LeaseLostError */
  async advance(held: Held, write: (transaction: Statements) => Promise<Outcome>): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await this.leases.confirm(transaction, held);
      const { end, created, updated, problems } = await write(transaction);
      const shown = JSON.stringify(problems.slice(0, maxImportProblems));
      await transaction.execute(sql`
        UPDATE contact_import SET taken = ${end.bytes}, line = ${end.line}, ${renewed},
          lines = lines + ${created + updated + problems.length}::int, created = created + ${created}::int,
          updated = updated + ${updated}::int, rejected = rejected + ${problems.length}::int,
          problems = CASE WHEN jsonb_array_length(problems) < ${maxImportProblems} THEN jsonb_path_query_array(
            problems || ${shown}::jsonb, ${`$[0 to ${maxImportProblems - 1}]`}::jsonpath) ELSE problems END
        WHERE id = ${held.id}`);
      await transaction.execute(sql`
        DELETE FROM contact_import_part
        WHERE import_id = ${held.id} AND begins < ${end.bytes} AND begins + octet_length(data) <= ${end.bytes}`);
    });
  }

  /** Every line was taken or rejected. */
  async finish(held: Held): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await this.leases.confirm(transaction, held);
      await transaction.execute(sql`
        UPDATE contact_import SET state = 'done', taken = bytes, next_attempt_at = NULL, ended_at = now()
        WHERE id = ${held.id}`);
      await this.leases.dropParts(transaction, held);
    });
  }
}
