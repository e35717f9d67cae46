import type { Database } from '@gangan/database';
import { describeWithRedis, startRedis, type TestRedis, TestSystem } from '@gangan/testing';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { databaseOf } from './database-of.js';
import { shortQueryDelays, sellsAirtime } from './journeys/airtime.js';
import { reportsOutcomes } from './journeys/callbacks.js';
import { changesMessages } from './journeys/changes.js';
import { keepsContacts } from './journeys/contacts.js';
import { reportsToEndpoints } from './journeys/endpoints.js';
import { recoversFromKilledGateway } from './journeys/killed-gateway.js';
import { usesOwnPrivileges } from './journeys/least-privilege.js';
import { followsLinks } from './journeys/links.js';
import { looksUpPhoneNumbers } from './journeys/lookup.js';
import { verifiesOtps } from './journeys/otp.js';
import type { Running } from './journeys/running.js';
import { schedulesMessages } from './journeys/scheduling.js';
import { keepsSecrets } from './journeys/secrets.js';
import { sendsToSmartlists } from './journeys/smartlists.js';
import { sendsMessages } from './journeys/sms.js';
import { holdsTheWorkOfSuspendedOrganisations } from './journeys/suspension.js';
import { importsAndExports } from './journeys/transfers.js';

/** The debug level logs the most. */
const env = { LOG_LEVEL: 'debug', RATE_LIMIT_PER_SECOND: '0', ...shortQueryDelays };

/** Defines the journeys, for either queue backend. */
function describeJourneys(redis?: () => TestRedis): void {
  let system: TestSystem;
  let database: Database;
  let stopped: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await database.close();
    await system.stop();
  };
  const stop = (): Promise<void> => (stopped ??= end());
  const running: Running = { system: () => system, database: () => database, stop, redis };
  beforeAll(async () => {
    system = await TestSystem.open({ ...env, ...(redis && { REDIS_URL: redis().url }) });
    await system.start();
    database = await databaseOf(system);
  });
  afterAll(async () => {
    await stop();
    await system.close();
  });

  describe('it looks up phone numbers', () => {
    looksUpPhoneNumbers(running);
  });
  describe('it sells airtime', () => {
    sellsAirtime(running);
  });
  describe('it sends messages', () => {
    sendsMessages(running);
  });
  describe('it schedules messages', () => {
    schedulesMessages(running);
  });
  describe('it pauses and cancels messages', () => {
    changesMessages(running);
  });
  describe('it follows links', () => {
    followsLinks(running);
  });
  describe('it verifies OTPs', () => {
    verifiesOtps(running);
  });
  describe('it reports outcomes', () => {
    reportsOutcomes(running);
  });
  describe('it reports to endpoints', () => {
    reportsToEndpoints(running);
  });
  // These test what workers do in the database; for the queue they are requests like the others.
  if (!redis) {
    describe('it keeps contacts', () => {
      keepsContacts(running);
      importsAndExports(running);
      sendsToSmartlists(running);
    });
    describe('it suspends organisations', () => {
      holdsTheWorkOfSuspendedOrganisations(running);
    });
  }
  describe('when its gateway is killed before it responds', () => {
    recoversFromKilledGateway(running);
  });
  describe('it uses the database with the least privilege', () => {
    usesOwnPrivileges(running);
  });
  describe('it keeps secrets', () => {
    keepsSecrets(running);
  });
}

describe('the system with its queues in Postgres', () => {
  describeJourneys();
});

describeWithRedis('the system with its queues in Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis({ appendOnly: true, settings: { appendfsync: 'always' } });
  });
  afterAll(() => redis.stop());
  describeJourneys(() => redis);
});
