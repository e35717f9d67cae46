import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database } from '../database.js';
import type { OrganisationMode } from '../generated/enums.js';
import { enumOf, uuid } from '../sql/columns.js';
import { sql, statement } from '../sql/statement.js';
import { organisationLoader } from './organisation-loader.js';

const findModes = statement(
  { id: uuid, mode: enumOf<OrganisationMode>('organisation_mode') },
  (ids: readonly string[]) => sql`SELECT id, mode FROM organisation WHERE id = ANY (${ids}::uuid[])`,
);

/** The modes of organisations, live or test. A mode never changes, so it is read once. */
@Injectable()
export class OrganisationModes {
  private readonly known = new LRUCache<string, OrganisationMode>({ max: 10_000 });
  private readonly find: (organisationId: string) => Promise<{ readonly mode: OrganisationMode }>;

  constructor(database: Database) {
    this.find = organisationLoader((ids) => database.run(findModes, ids));
  }

  async of(organisationId: string): Promise<OrganisationMode> {
    const known = this.known.get(organisationId);
    if (known) return known;
    const { mode } = await this.find(organisationId);
    this.known.set(organisationId, mode);
    return mode;
  }
}
