import { type Channel, columnsOf, Database, type RowOf, sql, sqlState, statement, t } from '@gangan/database';
import { type FieldError, maxId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { type OwnedId, ownedRows } from '../owned-rows.js';

export type TemplateRow = RowOf<typeof lockTemplate>;
export type TemplateFields = Omit<TemplateRow, 'id' | 'organisationId' | 'createdAt' | 'updatedAt'>;

const templateShape = {
  id: t.uuid,
  organisationId: t.uuid,
  name: t.text,
  channel: t.enumOf<Channel>('channel'),
  body: t.text,
  providerName: t.nullable(t.text),
  language: t.nullable(t.text),
  /** In the carrier's order. */
  variables: t.array(t.text),
  createdAt: t.timestamp,
  updatedAt: t.nullable(t.timestamp),
};

const templateColumns = columnsOf(templateShape);

const findTemplates = statement(
  templateShape,
  (ids: readonly string[]) => sql`
    SELECT found.* FROM unnest(${ids}::uuid[]) AS asked (id) CROSS JOIN LATERAL (
      SELECT ${templateColumns} FROM template WHERE id = asked.id LIMIT 1) AS found`,
);

const lockTemplate = statement(
  templateShape,
  ({ id, organisationId }: OwnedId) => sql`
    SELECT ${templateColumns} FROM template WHERE id = ${id} AND organisation_id = ${organisationId} FOR UPDATE`,
);

const updateTemplate = statement(
  templateShape,
  (id: string, fields: TemplateFields) => sql`
    UPDATE template SET name = ${fields.name}, body = ${fields.body}, provider_name = ${fields.providerName},
      language = ${fields.language}, variables = ${fields.variables}::text[], updated_at = now()
    WHERE id = ${id} RETURNING ${templateColumns}`,
);

/** A change that is not stored. */
interface Refused {
  readonly faults: readonly FieldError[];
}

const uniqueViolation = '23505';

@Injectable()
export class TemplatesRepository {
  /** Templates are not cached: a change is effective for the next message. */
  readonly find = ownedRows((ids) => this.database.run(findTemplates, ids));

  constructor(private readonly database: Database) {}

  /**
   * A template that an earlier run created stays. Concurrent requests can exceed the maximum together.
   * @param max of the templates of an organisation
   */
  async create(
    owned: OwnedId,
    fields: TemplateFields,
    createdAt: Date,
    max: number,
  ): Promise<TemplateRow | 'name_taken' | 'too_many'> {
    const { id, organisationId } = owned;
    const others = await this.database.template.count({
      where: { organisationId, NOT: { id } },
      take: max,
    });
    const isFull = others >= max;
    const data = { ...owned, ...fields, variables: [...fields.variables], createdAt };
    if (!isFull) await this.database.template.createMany({ data, skipDuplicates: true });
    const created = await this.database.template.findFirst({ where: owned });
    return created ?? (isFull ? 'too_many' : 'name_taken');
  }

  /** Newest first. */
  list(organisationId: string, limit: number, before: string = maxId): Promise<TemplateRow[]> {
    return this.database.template.findMany({
      where: { organisationId, id: { lt: before } },
      orderBy: { id: 'desc' },
      take: limit,
    });
  }

  async isNameTaken({ id, organisationId }: OwnedId, name: string): Promise<boolean> {
    const found = await this.database.template.findFirst({ where: { organisationId, name, NOT: { id } } });
    return found !== null;
  }

  /** Locks the row and stores what `decide` returns, unless it finds faults. */
  async change(
    owned: OwnedId,
    decide: (known: TemplateFields) => TemplateFields | Refused,
  ): Promise<TemplateRow | Refused | 'not_found' | 'name_taken'> {
    try {
      return await this.database.transaction(async (transaction) => {
        const [known] = await transaction.run(lockTemplate, owned);
        if (!known) return 'not_found';
        const decided = decide(known);
        if ('faults' in decided) return decided;
        const [changed] = await transaction.run(updateTemplate, known.id, decided);
        return changed ?? 'not_found';
      });
    } catch (error) {
      if (sqlState(error) === uniqueViolation) return 'name_taken';
      throw error;
    }
  }

  /** Accepted messages keep a copy of what they need. */
  async remove(owned: OwnedId): Promise<TemplateRow | undefined> {
    const found = await this.database.template.findFirst({ where: owned });
    if (!found) return undefined;
    const { count } = await this.database.template.deleteMany({ where: owned });
    return count > 0 ? found : undefined;
  }
}
