import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import type { OrganisationMode } from '../generated/enums.js';
import { enumOf, uuid } from '../sql/columns.js';
import { RefreshedCache } from '../sql/refreshed-cache.js';
import { type RowOf, sql, statement } from '../sql/statement.js';
import { organisationLoader } from './organisation-loader.js';

const findModes = statement(
  { id: uuid, mode: enumOf<OrganisationMode>('organisation_mode') },
  (ids: readonly string[]) => sql`SELECT id, mode FROM organisation WHERE id = ANY (${ids}::uuid[])`,
);

const ttlMs = 3_600_000;

/** The modes of organisations, live or test. A mode never changes. */
@Injectable()
export class OrganisationModes {
  private readonly cache: RefreshedCache<RowOf<typeof findModes>>;

  constructor(database: Database) {
    this.cache = new RefreshedCache(
      ttlMs,
      organisationLoader((ids) => database.run(findModes, ids)),
    );
  }

  async of(organisationId: string): Promise<OrganisationMode> {
    return (await this.cache.get(organisationId)).mode;
  }
}
