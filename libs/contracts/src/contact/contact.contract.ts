import type { Dto } from '@gangan/protocol';
import { queueContracts, shortDeadline, slow } from '../queue-contracts.js';
import { RecordEvent, RecordId } from '../record-id.dto.js';
import {
  ContactRowAnswer,
  CreateContactRowRequest,
  FindContactRowRequest,
  PatchContactRowRequest,
} from './contact-row.dto.js';
import {
  AddContactColumnRequest,
  AddedContactColumn,
  ChangeContactColumnRequest,
  ContactTable,
} from './contact-table.dto.js';
import { ContactRowsPage, ContactRowsQuery, QueryContactRowsRequest } from './query-rows.dto.js';
import {
  OpenedSmartlist,
  OpenSmartlistRequest,
  ReadSmartlistRequest,
  SmartlistRows,
} from './read-smartlist.dto.js';
import { ChangeSmartlistRequest, CreateSmartlistRequest, Smartlist } from './smartlist.dto.js';
import {
  ContactExport,
  ContactExportPage,
  FilePart,
  FilePartId,
  ContactImport,
  ContactImportPage,
  ImportContactsPart,
  ListContactTransfersRequest,
} from './transfer.dto.js';

const { request, event } = queueContracts('contacts', 'contacts');

/** The organisation of the context decides whose table or smartlists are read. */
const noFields: Dto<object> = Object;

export const readContactTable = request('contacts.table', noFields, ContactTable);
export const addContactColumn = request('contacts.add-column', AddContactColumnRequest, AddedContactColumn);
export const changeContactColumn = request(
  'contacts.change-column',
  ChangeContactColumnRequest,
  ContactTable,
);
export const removeContactColumn = request('contacts.remove-column', RecordId, ContactTable);

export const createContactRow = request('contacts.create-row', CreateContactRowRequest, ContactRowAnswer);
export const patchContactRow = request('contacts.patch-row', PatchContactRowRequest, ContactRowAnswer);
export const findContactRow = request('contacts.find-row', FindContactRowRequest, ContactRowAnswer);
export const removeContactRow = request('contacts.remove-row', FindContactRowRequest, ContactRowAnswer);

/** Not batched: filters without an index read whole tables. */
export const queryContactRows = request('contacts.query-rows', QueryContactRowsRequest, ContactRowsPage, {
  ...slow,
  deadlineMs: 20_000,
  perOrganisation: 4,
});

export const createSmartlist = request('contacts.create-smartlist', CreateSmartlistRequest, Smartlist);
export const listSmartlists = request('contacts.list-smartlists', noFields, [Smartlist]);
export const findSmartlist = request('contacts.find-smartlist', RecordId, Smartlist);
export const changeSmartlist = request('contacts.change-smartlist', ChangeSmartlistRequest, Smartlist);
export const removeSmartlist = request('contacts.remove-smartlist', RecordId, Smartlist);

/** Counts the rows of a smartlist and fixes the list at this moment: rows that are added later are not in it. */
export const openSmartlist = request('contacts.open-smartlist', OpenSmartlistRequest, OpenedSmartlist, {
  ...slow,
  senders: ['messaging', 'lookup'],
});

export const readSmartlist = request('contacts.read-smartlist', ReadSmartlistRequest, SmartlistRows, {
  ...slow,
  senders: ['messaging', 'lookup'],
});

/** Not batched: a part of a file is as large as dozens of other requests. */
export const importContactsPart = request('contacts.import-part', ImportContactsPart, ContactImport, slow);

export const findContactImport = request('contacts.find-import', RecordId, ContactImport, shortDeadline);

export const listContactImports = request(
  'contacts.list-imports',
  ListContactTransfersRequest,
  ContactImportPage,
);

export const readRejectedPart = request('contacts.read-rejected-part', FilePartId, FilePart, slow);

/** One attempt: if the event is lost, the sweeper finds the due row. */
export const contactImportDue = event('contacts.import-due', RecordEvent, {
  senders: ['contacts'],
  attempts: 1,
});

/** The upload of a file was interrupted: no further parts will arrive. */
export const contactUploadAbandoned = event('contacts.upload-abandoned', RecordEvent, {
  senders: ['gateway'],
  attempts: 3,
});

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

export const readContactExportPart = request('contacts.read-export-part', FilePartId, FilePart, slow);

/** One attempt: if the event is lost, the sweeper finds the due row. */
export const contactExportDue = event('contacts.export-due', RecordEvent, {
  senders: ['contacts'],
  attempts: 1,
});
