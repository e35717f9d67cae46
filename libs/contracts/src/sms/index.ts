export {
  FindSmsRequest,
  SmsAttempt,
  SmsDeliveriesQuery,
  SmsDelivery,
  SmsDetails,
  SmsReason,
} from './find-sms.dto.js';
export {
  ListedSms,
  ListSmsRequest,
  maxRecipientsListed,
  SmsPage,
  SmsPageMeta,
  SmsPagination,
} from './list-sms.dto.js';
export { maxRecipients, recipientError, splitRecipients } from './recipients.js';
export { maxTextLength, SendSmsRequest, SmsPersonalisation } from './send-sms.dto.js';
export { type ExpansionState, SmsExpansion, SmsExpansionDue } from './sms-expansion.dto.js';
export { hasVisibleText } from './sms-rules.js';
export { type SmsStatus, smsStatuses } from './sms-status.js';
export {
  findSms,
  listSms,
  sendBulkSms,
  sendSms,
  sendSmsContractFor,
  sendSmsToSmartlist,
  smsExpansionDue,
} from './sms.contract.js';
export { SmsEstimate, SmsMessage, SmsMeta } from './sms.dto.js';
