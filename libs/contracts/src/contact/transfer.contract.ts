import { queueContracts } from '../queue-contracts.js';
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
export const importContactsPart = request('contacts.import-part', ImportContactsPart, ContactImport, {
  deadlineMs: 15_000,
  batch: false,
});

export const findContactImport = request('contacts.find-import', RecordId, ContactImport, {
  deadlineMs: 5_000,
});

export const listContactImports = request(
  'contacts.list-imports',
  ListContactTransfersRequest,
  ContactImportPage,
  { deadlineMs: 10_000 },
);

/** One attempt: if the event is lost, the sweeper finds the due row. */
export const contactImportDue = event('contacts.import-due', RecordEvent, { attempts: 1 });

/** The upload of a file was interrupted: no further parts will arrive. */
export const contactUploadAbandoned = event('contacts.upload-abandoned', RecordEvent, { attempts: 3 });

/** Not batched: the rows are counted. */
export const exportContacts = request('contacts.export', ContactRowsQuery, ContactExport, {
  deadlineMs: 20_000,
  batch: false,
});

export const findContactExport = request('contacts.find-export', RecordId, ContactExport, {
  deadlineMs: 5_000,
});

export const listContactExports = request(
  'contacts.list-exports',
  ListContactTransfersRequest,
  ContactExportPage,
  { deadlineMs: 10_000 },
);

export const removeContactExport = request('contacts.remove-export', RecordId, ContactExport, {
  deadlineMs: 10_000,
  batch: false,
});

export const readContactExportPart = request(
  'contacts.read-export-part',
  ContactExportPartId,
  ContactExportPart,
  { deadlineMs: 15_000, batch: false },
);

/** One attempt: if the event is lost, the sweeper finds the due row. */
export const contactExportDue = event('contacts.export-due', RecordEvent, { attempts: 1 });
