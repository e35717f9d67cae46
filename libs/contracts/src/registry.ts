import type { Contract } from '@gangan/protocol';
import { airtimeDue, buyAirtime, findAirtime, listAirtime } from './airtime/airtime.contract.js';
import { callbackDue, findCallback, listCallbacks, resendCallback } from './callback/callback.contract.js';
import { countClicks, resolveLink } from './link/link.contract.js';
import { deliveriesDue, otpDeliveryDue, otpDeliveryEnded } from './delivery/delivery.contract.js';
import {
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
import {
  contactExportDue,
  exportContacts,
  findContactExport,
  listContactExports,
  readContactExportPart,
  removeContactExport,
} from './contact/export-contacts.contract.js';
import {
  contactImportDue,
  contactUploadAbandoned,
  findContactImport,
  importContactsPart,
  listContactImports,
} from './contact/import-contacts.contract.js';
import { openSmartlist, readSmartlist } from './contact/read-smartlist.contract.js';
import { lookupPhone, lookupPhoneLive } from './lookup/lookup.contract.js';
import { findOtp, listOtpsOfRecipient, requestOtp, revokeOtp, verifyOtp } from './otp/otp.contract.js';
import {
  findSms,
  listSms,
  sendBulkSms,
  sendSms,
  sendSmsToSmartlist,
  smsExpansionDue,
} from './sms/sms.contract.js';
import {
  changeTemplate,
  createTemplate,
  findTemplate,
  listTemplates,
  removeTemplate,
} from './template/template.contract.js';

/** Every contract of the house, so that a worker can refuse to start while one of its own has no handler. */
export const allContracts: readonly Contract[] = [
  buyAirtime,
  findAirtime,
  listAirtime,
  airtimeDue,
  callbackDue,
  findCallback,
  listCallbacks,
  resendCallback,
  deliveriesDue,
  otpDeliveryDue,
  otpDeliveryEnded,
  resolveLink,
  countClicks,
  readContactTable,
  addContactColumn,
  changeContactColumn,
  removeContactColumn,
  createContactRow,
  patchContactRow,
  findContactRow,
  removeContactRow,
  queryContactRows,
  createSmartlist,
  listSmartlists,
  findSmartlist,
  changeSmartlist,
  removeSmartlist,
  openSmartlist,
  readSmartlist,
  importContactsPart,
  findContactImport,
  listContactImports,
  contactImportDue,
  contactUploadAbandoned,
  exportContacts,
  findContactExport,
  listContactExports,
  readContactExportPart,
  removeContactExport,
  contactExportDue,
  lookupPhone,
  lookupPhoneLive,
  requestOtp,
  verifyOtp,
  findOtp,
  listOtpsOfRecipient,
  revokeOtp,
  sendSms,
  sendBulkSms,
  sendSmsToSmartlist,
  smsExpansionDue,
  findSms,
  listSms,
  createTemplate,
  findTemplate,
  listTemplates,
  changeTemplate,
  removeTemplate,
];

export const contractsOf = (queue: string): readonly Contract[] =>
  allContracts.filter((contract) => contract.queue === queue);
