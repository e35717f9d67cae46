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
import { explainsMistakes } from './mistakes.js';
import { verifiesOtps } from './otp.js';
import { schedulesMessages } from './scheduling.js';
import { keepsSecrets } from './secrets.js';
import { sendsToSmartlists } from './smartlists.js';
import { sendsMessages } from './sms.js';
import { holdsTheWorkOfSuspendedOrganisations } from './suspension.js';
import { importsAndExports } from './transfers.js';

/** What clients do, with either queue. */
export function describeJourneys(running: RunningSystem): void {
  describe('looking up phone numbers', () => {
    looksUpPhoneNumbers(running);
  });
  describe('selling airtime', () => {
    sellsAirtime(running);
  });
  describe('sending messages', () => {
    sendsMessages(running);
  });
  describe('common mistakes', () => {
    explainsMistakes(running);
  });
  describe('scheduling messages', () => {
    schedulesMessages(running);
  });
  describe('pausing and canceling messages', () => {
    changesMessages(running);
  });
  describe('following links', () => {
    followsLinks(running);
  });
  describe('verifying OTPs', () => {
    verifiesOtps(running);
  });
  describe('reporting outcomes', () => {
    reportsOutcomes(running);
  });
  describe('reporting to endpoints', () => {
    reportsToEndpoints(running);
  });
  describe('keeping contacts', () => {
    keepsContacts(running);
  });
  describe('importing and exporting contacts', () => {
    importsAndExports(running);
  });
  describe('sending to smartlists', () => {
    sendsToSmartlists(running);
  });
  describe('suspending organisations', () => {
    holdsTheWorkOfSuspendedOrganisations(running);
  });
  describe('using the database with the least privilege', () => {
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
  describe('keeping secrets', () => {
    keepsSecrets(running);
  });
}
