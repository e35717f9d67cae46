import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database } from '../database.js';
import type { OrganisationMode } from '../generated/enums.js';
import { enumOf, uuid } from '../sql/columns.js';
import { sql, statement } from '../sql/statement.js';
import { shareStatement } from '../sql/statement-loader.js';

const findModes = statement(
  { id: uuid, mode: enumOf<OrganisationMode>('organisation_mode') },
  (ids: readonly string[]) => sql`SELECT id, mode FROM organisation WHERE id = ANY (${ids}::uuid[])`,
);

/** The modes of organisations, live or test. A mode never changes, so it is read once. */
@Injectable()
export class OrganisationModes {
  private readonly known = new LRUCache<string, OrganisationMode>({ max: 10_000 });
  private readonly find = shareStatement(
    async (ids: readonly string[]) => {
      const rows = await this.database.run(findModes, ids);
      const found = new Map(rows.map(({ id, mode }) => [id, mode]));
      return ids.map((id) => found.get(id) ?? new Error(`There is no organisation ${id}`));
    },
    { readOnly: true },
  );

  constructor(private readonly database: Database) {}

  async of(organisationId: string): Promise<OrganisationMode> {
    const known = this.known.get(organisationId);
    if (known) return known;
    const mode = await this.find(organisationId);
    this.known.set(organisationId, mode);
    return mode;
  }
}
