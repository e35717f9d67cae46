import { afterAll, beforeAll, describe } from '@jest/globals';
import type { RunningSystem } from '../support/running.js';
import { receivesMessages } from './inbox.js';
import { obeysKeywords } from './keywords.js';
import { LiveSystem } from './live-system.js';
import { reportsDeliveries } from './reports.js';
import { sendsWhatsAppMessages } from './whatsapp.js';

/** Live organisations and their providers, with either queue. */
export function describeLive(running: RunningSystem): void {
  let opened: LiveSystem;
  beforeAll(async () => {
    opened = await LiveSystem.open(running);
  });
  afterAll(() => opened.close());
  const live = (): LiveSystem => opened;

  describe('reporting deliveries', () => {
    reportsDeliveries(live);
  });
  describe('receiving messages', () => {
    receivesMessages(live);
  });
  describe('obeying keywords', () => {
    obeysKeywords(live);
  });
  describe('sending WhatsApp messages', () => {
    sendsWhatsAppMessages(live);
  });
}
