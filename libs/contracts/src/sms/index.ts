export {
  FindSmsRequest,
  SmsAttempt,
  SmsDeliveriesWish,
  SmsDelivery,
  SmsDetails,
  SmsReason,
} from './find-sms.dto.js';
export {
  ListedSms,
  ListSmsRequest,
  mostRecipientsListed,
  SmsPage,
  SmsPageMeta,
  SmsPagination,
  usualSmsPage,
} from './list-sms.dto.js';
export { mostRecipients, recipientFault, recipientsIn } from './recipients.js';
export { longestText, SendSmsRequest, SmsPersonalisation } from './send-sms.dto.js';
export { type ExpansionState, SmsExpansion, SmsExpansionDue } from './sms-expansion.dto.js';
export { isVisible } from './sms-rules.js';
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
export { SmsDeliveryPagination, SmsEstimate, SmsMessage, SmsMeta } from './sms.dto.js';
