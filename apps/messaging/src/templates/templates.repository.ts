import type { Channel } from '@gangan/contracts';
import { Database, type Sql, sql, sqlState, StatementLoader, type Statements } from '@gangan/database';
import { maxId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';

export interface TemplateFields {
  readonly name: string;
  readonly channel: Channel;
  readonly body: string;
  readonly providerName: string | null;
  readonly language: string | null;
  /** In the carrier's order. */
  readonly variables: readonly string[];
}

export interface TemplateRow extends TemplateFields {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

interface Owned {
  readonly id: string;
  readonly organisationId: string;
}

const columns = sql`
  id, name, channel, body, provider_name AS "providerName", language, variables, created_at AS "createdAt",
  updated_at AS "updatedAt"`;

@Injectable()
export class TemplateRepository {
  private readonly templates = new StatementLoader((asked: readonly Owned[]) => this.findAll(asked), {
    readOnly: true,
  });

  constructor(private readonly database: Database) {}

  /** One that is there already stays as it is; nothing when its name is another's. */
  async create(owned: Owned, fields: TemplateFields, createdAt: Date): Promise<TemplateRow | undefined> {
    const [row] = await this.database.query<TemplateRow>(sql`
      WITH made AS (
        INSERT INTO template (id, organisation_id, name, channel, body, provider_name, language, variables, created_at)
        VALUES (${owned.id}, ${owned.organisationId}, ${fields.name}, ${fields.channel}, ${fields.body},
          ${fields.providerName}, ${fields.language}, ${[...fields.variables]}::text[], ${createdAt})
        ON CONFLICT DO NOTHING RETURNING ${columns})
      SELECT id, name, channel, body, "providerName", language, variables, "createdAt", "updatedAt" FROM made
      UNION ALL (${one(owned)})`);
    // A run of the same request that was committed meanwhile is seen by the next statement only.
    return row ?? this.find(owned);
  }

  /** Anew each time: a change holds for the next message. */
  async find({ id, organisationId }: Owned): Promise<TemplateRow | undefined> {
    return (await this.templates.load({ id: id.toLowerCase(), organisationId })).found;
  }

  /** Newest first. */
  list(organisationId: string, limit: number, before: string = maxId): Promise<TemplateRow[]> {
    return this.database.query<TemplateRow>(sql`
      SELECT ${columns} FROM template WHERE organisation_id = ${organisationId} AND id < ${before}::uuid
      ORDER BY id DESC LIMIT ${limit}`);
  }

  /** As `decide` makes it of what it was; others wait. `taken` when its new name is another's. */
  async change(
    owned: Owned,
    decide: (known: TemplateFields) => TemplateFields,
  ): Promise<TemplateRow | 'absent' | 'taken'> {
    try {
      return await this.database.transaction(async (transaction) => {
        const [known] = await transaction.query<TemplateRow>(sql`${one(owned)} FOR UPDATE`);
        return known ? await this.write(transaction, owned, decide(known)) : 'absent';
      });
    } catch (error) {
      if (sqlState(error) === uniqueViolation) return 'taken';
      throw error;
    }
  }

  /** Messages that were accepted carry what they need of it. */
  async remove({ id, organisationId }: Owned): Promise<TemplateRow | undefined> {
    const [row] = await this.database.query<TemplateRow>(sql`
      DELETE FROM template WHERE id = ${id} AND organisation_id = ${organisationId} RETURNING ${columns}`);
    return row;
  }

  private async findAll(asked: readonly Owned[]): Promise<{ found: TemplateRow | undefined }[]> {
    const rows = await this.database.query<TemplateRow & Owned>(sql`
      SELECT found.* FROM unnest(${[...new Set(asked.map(({ id }) => id))]}::uuid[]) AS asked (id)
      CROSS JOIN LATERAL (
        SELECT ${columns}, organisation_id AS "organisationId" FROM template WHERE id = asked.id LIMIT 1) AS found`);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return asked.map(({ id, organisationId }) => {
      const row = byId.get(id);
      return { found: row?.organisationId === organisationId ? row : undefined };
    });
  }

  private async write(transaction: Statements, { id }: Owned, fields: TemplateFields): Promise<TemplateRow> {
    const [row] = await transaction.query<TemplateRow>(sql`
      UPDATE template SET name = ${fields.name}, body = ${fields.body}, provider_name = ${fields.providerName},
        language = ${fields.language}, variables = ${[...fields.variables]}::text[], updated_at = now()
      WHERE id = ${id} RETURNING ${columns}`);
    if (!row) throw new Error('A locked template is gone');
    return row;
  }
}

const uniqueViolation = '23505';

const one = ({ id, organisationId }: Owned): Sql => sql`
  SELECT ${columns} FROM template WHERE id = ${id} AND organisation_id = ${organisationId}`;
