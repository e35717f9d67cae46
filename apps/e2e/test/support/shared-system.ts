import type { Database } from '@gangan/database';
import { SharedSystem } from '@gangan/testing';
import { afterAll, beforeAll } from '@jest/globals';
import { databaseOf } from './database-of.js';
import type { RunningSystem } from './running.js';

/**
 * The system that the spec files of a run share, for the tests of the surrounding `describe`.
 *
 * Each subject uses organisations of its own. The demo organisation belongs to the tests of the pages. Providers and
 * routes belong to one organisation, or are removed after the tests.
 */
export function useSharedSystem(): RunningSystem {
  const system = SharedSystem.find();
  let database: Database;
  beforeAll(async () => {
    database = await databaseOf(system);
  });
  afterAll(() => database.close());
  return { system: () => system, database: () => database };
}
