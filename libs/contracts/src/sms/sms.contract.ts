import { queueContracts, shortDeadline } from '../queue-contracts.js';
import { RecordEvent, RecordId } from '../record-id.dto.js';
import { EstimatedSms } from './estimate-sms.dto.js';
import { FindSmsRequest, SmsDetails } from './find-sms.dto.js';
import { ListSmsRequest, SmsPage } from './list-sms.dto.js';
import { countRecipients } from './send-sms.rules.js';
import { SendSmsRequest } from './send-sms.dto.js';
import { SmsMessage } from './sms.dto.js';

const { request, event } = queueContracts('messaging', 'messaging');

/** From this number of recipients on, a request is not batched, so that it does not delay others. */
const bulkRecipients = 50;

/** Requests of one organisation wait for its wallet anyway: more of them would only occupy workers. */
const unbatched = { batch: false, perOrganisation: 2 };

export const sendSms = request('sms.send', SendSmsRequest, SmsMessage, {
  weigh: ({ recipients = '' }) => countRecipients(recipients),
});

/** Like `sendSms`, for many recipients. */
export const sendBulkSms = request('sms.send-bulk', SendSmsRequest, SmsMessage, unbatched);

/** Like `sendSms`, for a smartlist, which messaging first requests from contacts. */
export const sendSmsToSmartlist = request('sms.send-to-smartlist', SendSmsRequest, SmsMessage, {
  ...unbatched,
  deadlineMs: 20_000,
});

export function sendSmsContractFor({ recipients = '', smartlist_id }: SendSmsRequest): typeof sendSms {
  if (smartlist_id !== undefined) return sendSmsToSmartlist;
  return countRecipients(recipients) < bulkRecipients ? sendSms : sendBulkSms;
}

/** Estimates are free, so they wait behind messages that are sent. */
const estimate = { ...unbatched, lowPriority: true };

export const estimateSms = request('sms.estimate', SendSmsRequest, EstimatedSms, estimate);

/** Like `estimateSms`, for many recipients or a smartlist. */
export const estimateLargeSms = request('sms.estimate-large', SendSmsRequest, EstimatedSms, {
  ...estimate,
  deadlineMs: 20_000,
});

export const estimateSmsContractFor = (message: SendSmsRequest): typeof estimateSms =>
  sendSmsContractFor(message) === sendSms ? estimateSms : estimateLargeSms;

/** One attempt: if the event is lost, the sweeper finds the due row. */
export const smsExpansionDue = event('sms.expansion-due', RecordEvent, {
  senders: ['messaging'],
  attempts: 1,
});

/** One attempt: if the event is lost, the sweeper finds the due change. */
export const smsChangeDue = event('sms.change-due', RecordEvent, { senders: ['messaging'], attempts: 1 });

export const pauseSms = request('sms.pause', RecordId, SmsMessage);
export const resumeSms = request('sms.resume', RecordId, SmsMessage);
export const cancelSms = request('sms.cancel', RecordId, SmsMessage);

export const findSms = request('sms.find', FindSmsRequest, SmsDetails, shortDeadline);
export const listSms = request('sms.list', ListSmsRequest, SmsPage, unbatched);
