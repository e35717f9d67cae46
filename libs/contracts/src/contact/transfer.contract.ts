import { queueContracts, shortDeadline, slow } from '../queue-contracts.js';
import { RecordEvent, RecordId } from '../record-id.dto.js';
import { ContactRowsQuery } from './query-rows.dto.js';
import {
  ContactExport,
  ContactExportPage,
  ContactExportPart,
  ContactExportPartId,
  ContactImport,
  ContactImportPage,
  ImportContactsPart,
  ListContactTransfersRequest,
} from './transfer.dto.js';

const { request, event } = queueContracts('contacts');

/** Not batched: a part of a file is as large as dozens of other requests. */
export const importContactsPart = request('contacts.import-part', ImportContactsPart, ContactImport, slow);

export const findContactImport = request('contacts.find-import', RecordId, ContactImport, shortDeadline);

export const listContactImports = request(
  'contacts.list-imports',
  ListContactTransfersRequest,
  ContactImportPage,
);

/** One attempt: if the event is lost, the sweeper finds the due row. */
export const contactImportDue = event('contacts.import-due', RecordEvent, { attempts: 1 });

/** The upload of a file was interrupted: no further parts will arrive. */
export const contactUploadAbandoned = event('contacts.upload-abandoned', RecordEvent, { attempts: 3 });

/** Not batched: the rows are counted. */
export const exportContacts = request('contacts.export', ContactRowsQuery, ContactExport, {
  ...slow,
  deadlineMs: 20_000,
});

export const findContactExport = request('contacts.find-export', RecordId, ContactExport, shortDeadline);

export const listContactExports = request(
  'contacts.list-exports',
  ListContactTransfersRequest,
  ContactExportPage,
);

export const removeContactExport = request('contacts.remove-export', RecordId, ContactExport, {
  batch: false,
});

export const readContactExportPart = request(
  'contacts.read-export-part',
  ContactExportPartId,
  ContactExportPart,
  slow,
);

/** One attempt: if the event is lost, the sweeper finds the due row. */
export const contactExportDue = event('contacts.export-due', RecordEvent, { attempts: 1 });
