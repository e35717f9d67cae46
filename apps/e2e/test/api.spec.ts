import type { Database } from '@gangan/database';
import { TestSystem } from '@gangan/testing';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { sealsSecretsAtRest } from './canary/secrets-at-rest.js';
import { databaseOf } from './database-of.js';
import { reportingHeap } from './fuzz/heap.js';
import { takesLongTexts } from './fuzz/long-texts.js';
import { answersAsDocumented } from './fuzz/random-requests.js';
import type { RunningSystem } from './journeys/running.js';
import { separatesOrganisations } from './tenants/separation.js';

const unlimited = {
  RATE_LIMIT_PER_SECOND: '0',
  OTP_SENDS_PER_RECIPIENT: '0',
  OTP_SENDS_PER_PREFIX: '0',
  OTP_TRIES_PER_RECIPIENT: '0',
  DAILY_SPEND: '0',
  AIRTIME_DAILY_SPEND: '0',
  AIRTIME_DAILY_SPEND_PER_RECIPIENT: '0',
};

describe('the API', () => {
  let system: TestSystem;
  let database: Database;
  const running: RunningSystem = { system: () => system, database: () => database };
  beforeAll(async () => {
    system = await TestSystem.open({
      LOG_LEVEL: 'warn',
      SEAL_MESSAGES: 'true',
      ...unlimited,
      ...reportingHeap,
    });
    await system.start();
    database = await databaseOf(system);
  });
  afterAll(async () => {
    await database.close();
    await system.close();
  });

  describe('secrets at rest', () => {
    sealsSecretsAtRest(running);
  });
  describe('two organisations', () => {
    separatesOrganisations(running);
  });
  describe('every documented route', () => {
    answersAsDocumented(running);
  });
  describe('long texts take time in proportion to their length', () => {
    takesLongTexts(running);
  });
});
