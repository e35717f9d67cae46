import { describe } from '@jest/globals';
import type { OwnSystem, RunningSystem } from '../support/running.js';
import { sellsAirtime } from './airtime.js';
import { reportsAfterKilledWorker, reportsOutcomes } from './callbacks.js';
import { changesMessages } from './changes.js';
import { keepsContacts } from './contacts.js';
import { reportsToEndpoints } from './endpoints.js';
import { recoversFromKilledGateway } from './killed-gateway.js';
import { usesOwnPrivileges } from './least-privilege.js';
import { followsLinks } from './links.js';
import { looksUpPhoneNumbers } from './lookup.js';
import { verifiesOtps } from './otp.js';
import { schedulesMessages } from './scheduling.js';
import { keepsSecrets } from './secrets.js';
import { sendsToSmartlists } from './smartlists.js';
import { sendsMessages } from './sms.js';
import { holdsTheWorkOfSuspendedOrganisations } from './suspension.js';
import { importsAndExports } from './transfers.js';

/** What clients do, with either queue. */
export function describeJourneys(running: RunningSystem): void {
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
  describe('it keeps contacts', () => {
    keepsContacts(running);
  });
  describe('it imports and exports contacts', () => {
    importsAndExports(running);
  });
  describe('it sends to smartlists', () => {
    sendsToSmartlists(running);
  });
  describe('it suspends organisations', () => {
    holdsTheWorkOfSuspendedOrganisations(running);
  });
  describe('it uses the database with the least privilege', () => {
    usesOwnPrivileges(running);
  });
}

/** Kills processes, makes the database reject changes, and at the end stops the system. */
export function describeFaults(running: OwnSystem): void {
  describe('when its callback worker is killed', () => {
    reportsAfterKilledWorker(running);
  });
  describe('when its gateway is killed before it responds', () => {
    recoversFromKilledGateway(running);
  });
  describe('it keeps secrets', () => {
    keepsSecrets(running);
  });
}
