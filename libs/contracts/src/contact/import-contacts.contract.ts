import { defineEvent, defineRequest } from '@gangan/protocol';
import {
  ContactImport,
  ContactImportId,
  ContactImportPage,
  ImportContactsPart,
} from './import-contacts.dto.js';
import { ContactTransferDue } from './transfer-due.dto.js';
import { ListContactTransfersRequest } from './transfer-list.dto.js';

const queue = 'contacts';

/** In the lane of the slow ones: a part of a file is as large as dozens of other requests. */
export const importContactsPart = defineRequest({
  queue,
  name: 'contacts.import-part',
  deadlineMs: 15_000,
  batch: false,
  request: ImportContactsPart,
  reply: ContactImport,
});

export const findContactImport = defineRequest({
  queue,
  name: 'contacts.find-import',
  deadlineMs: 5_000,
  request: ContactImportId,
  reply: ContactImport,
});

export const listContactImports = defineRequest({
  queue,
  name: 'contacts.list-imports',
  deadlineMs: 10_000,
  request: ListContactTransfersRequest,
  reply: ContactImportPage,
});

/** One attempt: the import's row is the schedule, and whoever finds it due takes it up. */
export const contactImportDue = defineEvent({
  queue,
  name: 'contacts.import-due',
  event: ContactTransferDue,
  attempts: 1,
});

/** A file broke off: nothing more of it is waited for. */
export const contactUploadAbandoned = defineEvent({
  queue,
  name: 'contacts.upload-abandoned',
  event: ContactTransferDue,
  attempts: 3,
});
