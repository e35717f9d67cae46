import { Database, shareStatement, sql, statement, t } from '@gangan/database';
import { portedTo } from '@gangan/providers';
import { Injectable } from '@nestjs/common';

/** What the registries know about a number. They are the same for all organisations. */
export interface RegistryEntry {
  /** The operator that the number was ported to. */
  readonly portedTo?: string;
  readonly dnd: boolean;
}

/** Entries of unfinished imports do not count. */
const findEntries = statement(
  { portedTo: t.nullable(t.text), dnd: t.bool },
  (phones: readonly string[]) => sql`
    SELECT
      ${portedTo(sql`wanted.phone`)} AS "portedTo",
      EXISTS (SELECT FROM dnd_number d JOIN registry_import i ON i.id = d.import_id
              WHERE d.phone = wanted.phone AND i.state = 'active') AS dnd
    FROM unnest(${phones}::text[]) WITH ORDINALITY AS wanted (phone, position)
    ORDER BY wanted.position`,
);

@Injectable()
export class LookupRepository {
  readonly find = shareStatement(
    async (phones: readonly string[]): Promise<RegistryEntry[]> => {
      const rows = await this.database.run(findEntries, phones);
      return rows.map(({ portedTo, dnd }) => ({ ...(portedTo !== null && { portedTo }), dnd }));
    },
    { readOnly: true },
  );

  constructor(private readonly database: Database) {}
}
