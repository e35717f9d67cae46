export {
  type AirtimeBounds,
  airtimeBoundsOf,
  isAirtimeBounds,
  setAirtimeBounds,
} from './airtime/airtime-bounds.js';
export { AirtimeDue } from './airtime/airtime-due.dto.js';
export { type AirtimeStatus, airtimeStatuses } from './airtime/airtime-status.js';
export { airtimeDue, buyAirtime, findAirtime, listAirtime } from './airtime/airtime.contract.js';
export {
  AirtimeCharge,
  AirtimeMeta,
  AirtimeNetwork,
  AirtimePurchase,
  AirtimeReason,
  BuyAirtimeRequest,
} from './airtime/airtime.dto.js';
export {
  AirtimePage,
  AirtimePageMeta,
  AirtimePagination,
  FindAirtimeRequest,
  ListAirtimeRequest,
  usualAirtimePage,
} from './airtime/list-airtime.dto.js';
export { isNetwork, type Network, networks } from './airtime/networks.js';
export {
  Balance,
  Ledger,
  LedgerEntry,
  LedgerMeta,
  LedgerPagination,
  LedgerQuery,
  usualLedgerPage,
  walletChangeKinds,
} from './billing/billing.dto.js';
export { type CallbackStatus, callbackStatuses } from './callback/callback-status.js';
export {
  type AirtimeCallbackType,
  airtimeCallbackTypes,
  type CallbackType,
  type MessageCallbackType,
  messageCallbackTypes,
} from './callback/callback-types.js';
export { callbackDue, findCallback, listCallbacks, resendCallback } from './callback/callback.contract.js';
export { callbackUrlFault, setAllowPrivateCallbacks } from './callback/callback-url.js';
export {
  AirtimeCallback,
  type CallbackBody,
  CallbackDue,
  CallbackReason,
  MessageCallback,
  MessageReport,
  PurchaseReport,
} from './callback/callback.dto.js';
export {
  CallbackAttempt,
  CallbackDetails,
  CallbackSummary,
  FindCallbackRequest,
} from './callback/find-callback.dto.js';
export { IsCallbackUrl } from './callback/is-callback-url.js';
export {
  CallbackPage,
  CallbackPageMeta,
  CallbackPagination,
  ListCallbacksRequest,
  usualCallbackPage,
} from './callback/list-callbacks.dto.js';
export { isPublicAddress } from './callback/public-address.js';
export { deliveriesDue, otpDeliveryDue, otpDeliveryEnded } from './delivery/delivery.contract.js';
export {
  DeliveriesDue,
  type DeliveryText,
  type FailedDeliveryStatus,
  failedDeliveryStatuses,
  mostDeliveriesPerChunk,
  OtpDeliveryEnded,
} from './delivery/delivery.dto.js';
export { type Channel, channels } from './channel.js';
export { countClicks, resolveLink } from './link/link.contract.js';
export {
  ClickedLink,
  CountClicksRequest,
  CountedClicks,
  linkCode,
  mostClicksToldSingly,
  ResolvedLink,
  ResolveLinkRequest,
} from './link/link.dto.js';
export { type ContactColumnType, contactColumnTypes, hasOptions } from './contact/column-types.js';
export {
  addContactColumn,
  changeContactColumn,
  changeSmartlist,
  createContactRow,
  createSmartlist,
  findContactRow,
  findSmartlist,
  listSmartlists,
  patchContactRow,
  queryContactRows,
  readContactTable,
  removeContactColumn,
  removeContactRow,
  removeSmartlist,
} from './contact/contact.contract.js';
export {
  AddContactColumnRequest,
  ChangeContactColumnFields,
  ChangeContactColumnRequest,
  ContactColumnId,
  longestOption,
} from './contact/contact-column.dto.js';
export { ContactFilter, longestFilterValue, mostFilters } from './contact/contact-filter.dto.js';
export {
  ContactCellsRequest,
  ContactRow,
  ContactRowAnswer,
  ContactRowId,
  PatchContactRowRequest,
} from './contact/contact-row.dto.js';
export { ContactColumn, ContactTable } from './contact/contact-table.dto.js';
export {
  contactExportDue,
  exportContacts,
  findContactExport,
  listContactExports,
  readContactExportPart,
  removeContactExport,
} from './contact/export-contacts.contract.js';
export {
  ContactExport,
  ContactExportId,
  ContactExportPage,
  ContactExportPart,
  ContactExportPartId,
  type ContactExportState,
} from './contact/export-contacts.dto.js';
export { type ContactOperator, contactOperators } from './contact/filter-operators.js';
export { openSmartlist, readSmartlist } from './contact/read-smartlist.contract.js';
export {
  type CellAlphabet,
  cellAlphabets,
  longestSmartlistCell,
  longestSmartlistPage,
  OpenedSmartlist,
  OpenSmartlistRequest,
  ReadSmartlistRequest,
  SmartlistColumn,
  SmartlistRow,
  SmartlistRows,
} from './contact/read-smartlist.dto.js';
export {
  contactImportDue,
  contactUploadAbandoned,
  findContactImport,
  importContactsPart,
  listContactImports,
} from './contact/import-contacts.contract.js';
export {
  ContactImport,
  ContactImportId,
  ContactImportProblem,
  type ContactImportState,
  type CsvDelimiter,
  ImportContactsPart,
  ImportContactsWish,
  mostImportProblems,
} from './contact/import-contacts.dto.js';
export { ContactTransferDue } from './contact/import-due.dto.js';
export {
  ContactImportPage,
  ContactTransferPageMeta,
  ListContactTransfersRequest,
  usualTransferPage,
} from './contact/import-list.dto.js';
export {
  ContactPageMeta,
  ContactPageWish,
  ContactPagination,
  ContactRowsPage,
  ContactRowsWish,
  highestContactCount,
  QueryContactRowsRequest,
  usualContactPage,
} from './contact/query-rows.dto.js';
export {
  ChangeSmartlistFields,
  ChangeSmartlistRequest,
  CreateSmartlistRequest,
  Smartlist,
  SmartlistId,
} from './contact/smartlist.dto.js';
export { LookupReply, type LookupSource, LookupSources } from './lookup/lookup-reply.dto.js';
export { lookupPhone, lookupPhoneLive } from './lookup/lookup.contract.js';
export { LookupPhoneRequest, PhoneLookup } from './lookup/lookup.dto.js';
export { findOtp, listOtpsOfRecipient, requestOtp, revokeOtp, verifyOtp } from './otp/otp.contract.js';
export {
  FindOtpRequest,
  OtpRecord,
  OtpsOfRecipientRequest,
  RequestOtpRequest,
  usualOtpLength,
  usualOtpMinutes,
  VerifyOtpRequest,
} from './otp/otp.dto.js';
export { OtpSettings, otpSettingsOf } from './otp/otp-settings.js';
export { type OtpStatus, otpStatuses, otpStatusName } from './otp/otp-status.js';
export { otpTextFault, renderOtpText } from './otp/otp-text.js';
export { isAmong, type NumberType, numberTypeOf, numberTypes } from './number-type.js';
export { isKnownRegion, type ParsedPhone, parsePhone, setDefaultRegion } from './phone-number.js';
export { allContracts, contractsOf } from './registry.js';
export { DescribeWhole, wholeOf } from './schema/describe-whole.js';
export { Describe } from './schema/describe.js';
export type { JsonSchema } from './schema/json-schema.js';
export { Schemas } from './schema/schemas.js';
export {
  FindSmsRequest,
  SmsAttempt,
  SmsDeliveriesWish,
  SmsDelivery,
  SmsDetails,
  SmsReason,
} from './sms/find-sms.dto.js';
export {
  ListedSms,
  ListSmsRequest,
  mostRecipientsListed,
  SmsPage,
  SmsPageMeta,
  SmsPagination,
  usualSmsPage,
} from './sms/list-sms.dto.js';
export { mostRecipients, recipientFault, recipientsIn } from './sms/recipients.js';
export { longestText, SendSmsRequest, SmsPersonalisation } from './sms/send-sms.dto.js';
export {
  findSms,
  listSms,
  sendBulkSms,
  sendSms,
  sendSmsContractFor,
  sendSmsToSmartlist,
  smsExpansionDue,
} from './sms/sms.contract.js';
export { SmsDeliveryPagination, SmsEstimate, SmsMessage, SmsMeta } from './sms/sms.dto.js';
export { type ExpansionState, SmsExpansion, SmsExpansionDue } from './sms/sms-expansion.dto.js';
export { isVisible } from './sms/sms-rules.js';
export { type SmsStatus, smsStatuses } from './sms/sms-status.js';
export {
  ListTemplatesRequest,
  TemplatePage,
  TemplatePageMeta,
  TemplatePagination,
  usualTemplatePage,
} from './template/list-templates.dto.js';
export { IsTemplateBody, longestTemplate, placeholderFault } from './template/template-body.js';
export {
  changeTemplate,
  createTemplate,
  findTemplate,
  listTemplates,
  removeTemplate,
} from './template/template.contract.js';
export {
  ChangeTemplateFields,
  ChangeTemplateRequest,
  CreateTemplateRequest,
  FindTemplateRequest,
  Template,
} from './template/template.dto.js';
export { pagesOf, type Paging } from './text/pages.js';
export { momentOf, timestampOf } from './timestamp.js';
export { editDistance } from './validation/closest.js';
export { fromQuery } from './validation/from-query.js';
export { IsMoment } from './validation/is-moment.js';
export { IsPhone } from './validation/is-phone.js';
export { Nested, NestedList } from './validation/nested.js';
export { Required } from './validation/required.js';
export { validate, type Validated } from './validation/validate.js';
