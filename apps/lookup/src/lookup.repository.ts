import { Database, sql, StatementLoader } from '@gangan/database';
import { Injectable } from '@nestjs/common';

/** What the registries know of a number. They are the same for every organisation. */
export interface RegistryEntry {
  /** The operator it was ported to. */
  readonly portedTo?: string;
  readonly dnd: boolean;
}

interface Row {
  readonly portedTo: string | null;
  readonly dnd: boolean;
}

@Injectable()
export class LookupRepository {
  private readonly entries = new StatementLoader((phones: readonly string[]) => this.findAll(phones), {
    readOnly: true,
  });

  constructor(private readonly database: Database) {}

  find(e164: string): Promise<RegistryEntry> {
    return this.entries.load(e164);
  }

  /** Only finished imports count, and of those that know a ported number the newest. */
  private async findAll(phones: readonly string[]): Promise<RegistryEntry[]> {
    const rows = await this.database.query<Row>(sql`
      SELECT
        (SELECT p.operator FROM ported_number p JOIN registry_import i ON i.id = p.import_id
         WHERE p.phone = asked.phone AND i.state = 'active' ORDER BY i.id DESC LIMIT 1) AS "portedTo",
        EXISTS (SELECT FROM dnd_number d JOIN registry_import i ON i.id = d.import_id
                WHERE d.phone = asked.phone AND i.state = 'active') AS dnd
      FROM unnest(${phones}::text[]) WITH ORDINALITY AS asked (phone, place)
      ORDER BY asked.place`);
    return rows.map(({ portedTo, dnd }) => ({ ...(portedTo !== null && { portedTo }), dnd }));
  }
}
