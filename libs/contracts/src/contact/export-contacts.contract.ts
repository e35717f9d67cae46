import { defineEvent, defineRequest } from '@gangan/protocol';
import {
  ContactExport,
  ContactExportId,
  ContactExportPage,
  ContactExportPart,
  ContactExportPartId,
} from './export-contacts.dto.js';
import { ContactRowsQuery } from './query-rows.dto.js';
import { ContactTransferDue } from './transfer-due.dto.js';
import { ListContactTransfersRequest } from './transfer-list.dto.js';

const queue = 'contacts';

/** In the lane of the slow ones, as its rows are counted. */
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

/** One attempt: the export's row is the schedule, and whoever finds it due takes it up. */
export const contactExportDue = defineEvent({
  queue,
  name: 'contacts.export-due',
  event: ContactTransferDue,
  attempts: 1,
});
