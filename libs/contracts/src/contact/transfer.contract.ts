import { defineEvent, defineRequest } from '@gangan/protocol';
import {
  ContactExport,
  ContactExportId,
  ContactExportPage,
  ContactExportPart,
  ContactExportPartId,
} from './export.dto.js';
import { ContactImport, ContactImportId, ContactImportPage, ImportContactsPart } from './import.dto.js';
import { ContactRowsQuery } from './query-rows.dto.js';
import { ContactTransferDue, ListContactTransfersRequest } from './transfer.dto.js';

const queue = 'contacts';

/** Not batched: a part of a file is as large as dozens of other requests. */
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

/** One attempt: if the event is lost, the sweeper finds the due row. */
export const contactImportDue = defineEvent({
  queue,
  name: 'contacts.import-due',
  event: ContactTransferDue,
  attempts: 1,
});

/** The upload of a file was interrupted: no further parts will arrive. */
export const contactUploadAbandoned = defineEvent({
  queue,
  name: 'contacts.upload-abandoned',
  event: ContactTransferDue,
  attempts: 3,
});

/** Not batched: the rows are counted. */
export const exportContacts = defineRequest({
  queue,
  name: 'contacts.export',
  deadlineMs: 20_000,
  batch: false,
  request: ContactRowsQuery,
  reply: ContactExport,
});

export const findContactExport = defineRequest({
  queue,
  name: 'contacts.find-export',
  deadlineMs: 5_000,
  request: ContactExportId,
  reply: ContactExport,
});

export const listContactExports = defineRequest({
  queue,
  name: 'contacts.list-exports',
  deadlineMs: 10_000,
  request: ListContactTransfersRequest,
  reply: ContactExportPage,
});

export const removeContactExport = defineRequest({
  queue,
  name: 'contacts.remove-export',
  deadlineMs: 10_000,
  batch: false,
  request: ContactExportId,
  reply: ContactExport,
});

export const readContactExportPart = defineRequest({
  queue,
  name: 'contacts.read-export-part',
  deadlineMs: 15_000,
  batch: false,
  request: ContactExportPartId,
  reply: ContactExportPart,
});

/** One attempt: if the event is lost, the sweeper finds the due row. */
export const contactExportDue = defineEvent({
  queue,
  name: 'contacts.export-due',
  event: ContactTransferDue,
  attempts: 1,
});
