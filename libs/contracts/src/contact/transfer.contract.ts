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
export const importContactsPart = request('contacts.import-part', 15_000, ImportContactsPart, ContactImport, {
  batch: false,
});

export const findContactImport = request('contacts.find-import', 5_000, RecordId, ContactImport);

export const listContactImports = request(
  'contacts.list-imports',
  10_000,
  ListContactTransfersRequest,
  ContactImportPage,
);

/** One attempt: if the event is lost, the sweeper finds the due row. */
export const contactImportDue = event('contacts.import-due', RecordEvent, { attempts: 1 });

/** The upload of a file was interrupted: no further parts will arrive. */
export const contactUploadAbandoned = event('contacts.upload-abandoned', RecordEvent, { attempts: 3 });

/** Not batched: the rows are counted. */
export const exportContacts = request('contacts.export', 20_000, ContactRowsQuery, ContactExport, {
  batch: false,
});

export const findContactExport = request('contacts.find-export', 5_000, RecordId, ContactExport);

export const listContactExports = request(
  'contacts.list-exports',
  10_000,
  ListContactTransfersRequest,
  ContactExportPage,
);

export const removeContactExport = request('contacts.remove-export', 10_000, RecordId, ContactExport, {
  batch: false,
});

export const readContactExportPart = request(
  'contacts.read-export-part',
  15_000,
  ContactExportPartId,
  ContactExportPart,
  { batch: false },
);

/** One attempt: if the event is lost, the sweeper finds the due row. */
export const contactExportDue = event('contacts.export-due', RecordEvent, { attempts: 1 });
