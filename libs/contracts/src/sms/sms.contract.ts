import { defineEvent, defineRequest } from '@gangan/protocol';
import { FindSmsRequest, SmsDetails } from './find-sms.dto.js';
import { ListSmsRequest, SmsPage } from './list-sms.dto.js';
import { countRecipients } from './recipients.js';
import { SendSmsRequest } from './send-sms.dto.js';
import { SmsMessage } from './sms.dto.js';
import { SmsExpansionDue } from './sms-expansion.dto.js';

const queue = 'messaging';

/** For so many recipients and more, a request travels in a lane of its own and holds up nobody else's. */
const bulk = 50;

/** An organisation's own take turns at its wallet anyway: more of them at once would only keep workers from others. */
const perOrganisation = 2;

export const sendSms = defineRequest({
  queue,
  name: 'sms.send',
  deadlineMs: 10_000,
  request: SendSmsRequest,
  reply: SmsMessage,
  weigh: ({ recipients = '' }) => countRecipients(recipients),
});

/** The same for many recipients. */
export const sendBulkSms = defineRequest({
  queue,
  name: 'sms.send-bulk',
  deadlineMs: 10_000,
  request: SendSmsRequest,
  reply: SmsMessage,
  batch: false,
  perOrganisation,
});

/** The same for a smartlist: its worker is asked for it first. */
export const sendSmsToSmartlist = defineRequest({
  queue,
  name: 'sms.send-to-smartlist',
  deadlineMs: 20_000,
  request: SendSmsRequest,
  reply: SmsMessage,
  batch: false,
  perOrganisation,
});

export function sendSmsContractFor({ recipients = '', smartlist_id }: SendSmsRequest): typeof sendSms {
  if (smartlist_id !== undefined) return sendSmsToSmartlist;
  return countRecipients(recipients) < bulk ? sendSms : sendBulkSms;
}

/** One attempt: the row of the expansion is the schedule, and whoever finds it due takes it up. */
export const smsExpansionDue = defineEvent({
  queue,
  name: 'sms.expansion-due',
  event: SmsExpansionDue,
  attempts: 1,
});

export const findSms = defineRequest({
  queue,
  name: 'sms.find',
  deadlineMs: 5_000,
  request: FindSmsRequest,
  reply: SmsDetails,
});

export const listSms = defineRequest({
  queue,
  name: 'sms.list',
  deadlineMs: 10_000,
  request: ListSmsRequest,
  reply: SmsPage,
  batch: false,
  perOrganisation,
});
