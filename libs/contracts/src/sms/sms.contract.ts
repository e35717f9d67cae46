import { defineEvent, defineRequest } from '@gangan/protocol';
import { FindSmsRequest, SmsDetails } from './find-sms.dto.js';
import { ListSmsRequest, SmsPage } from './list-sms.dto.js';
import { countRecipients } from './send-sms.rules.js';
import { SendSmsRequest } from './send-sms.dto.js';
import { SmsMessage } from './sms.dto.js';
import { SmsExpansionDue } from './sms-expansion.dto.js';

const queue = 'messaging';

/** From this number of recipients on, a request is not batched, so that it does not delay others. */
const bulkRecipients = 50;

/** Requests of one organisation wait for its wallet anyway: more of them would only occupy workers. */
const perOrganisation = 2;

export const sendSms = defineRequest({
  queue,
  name: 'sms.send',
  deadlineMs: 10_000,
  request: SendSmsRequest,
  reply: SmsMessage,
  weigh: ({ recipients = '' }) => countRecipients(recipients),
});

/** `sendSms` for many recipients. */
export const sendBulkSms = defineRequest({
  queue,
  name: 'sms.send-bulk',
  deadlineMs: 10_000,
  request: SendSmsRequest,
  reply: SmsMessage,
  batch: false,
  perOrganisation,
});

/** `sendSms` for a smartlist: messaging first requests it from contacts. */
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
  return countRecipients(recipients) < bulkRecipients ? sendSms : sendBulkSms;
}

/** One attempt: if the event is lost, the sweeper finds the due row. */
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
