import type { Dto } from '@gangan/protocol';
import { queueContracts } from '../queue-contracts.js';
import { RecordId } from '../record-id.dto.js';
import { ContactCellsRequest, ContactRowAnswer, PatchContactRowRequest } from './contact-row.dto.js';
import { AddContactColumnRequest, ChangeContactColumnRequest, ContactTable } from './contact-table.dto.js';
import { ContactRowsPage, QueryContactRowsRequest } from './query-rows.dto.js';
import {
  OpenedSmartlist,
  OpenSmartlistRequest,
  ReadSmartlistRequest,
  SmartlistRows,
} from './read-smartlist.dto.js';
import { ChangeSmartlistRequest, CreateSmartlistRequest, Smartlist } from './smartlist.dto.js';

const { request } = queueContracts('contacts');

/** The organisation of the context decides whose table or smartlists are read. */
const noFields: Dto<object> = Object;

export const readContactTable = request('contacts.table', 10_000, noFields, ContactTable);
export const addContactColumn = request('contacts.add-column', 10_000, AddContactColumnRequest, ContactTable);
export const changeContactColumn = request(
  'contacts.change-column',
  10_000,
  ChangeContactColumnRequest,
  ContactTable,
);
export const removeContactColumn = request('contacts.remove-column', 10_000, RecordId, ContactTable);

export const createContactRow = request('contacts.create-row', 10_000, ContactCellsRequest, ContactRowAnswer);
export const patchContactRow = request(
  'contacts.patch-row',
  10_000,
  PatchContactRowRequest,
  ContactRowAnswer,
);
export const findContactRow = request('contacts.find-row', 10_000, RecordId, ContactRowAnswer);
export const removeContactRow = request('contacts.remove-row', 10_000, RecordId, ContactRowAnswer);

/** Not batched: filters without an index read whole tables. */
export const queryContactRows = request(
  'contacts.query-rows',
  20_000,
  QueryContactRowsRequest,
  ContactRowsPage,
  { batch: false, perOrganisation: 4 },
);

export const createSmartlist = request(
  'contacts.create-smartlist',
  10_000,
  CreateSmartlistRequest,
  Smartlist,
);
export const listSmartlists = request('contacts.list-smartlists', 10_000, noFields, [Smartlist]);
export const findSmartlist = request('contacts.find-smartlist', 10_000, RecordId, Smartlist);
export const changeSmartlist = request(
  'contacts.change-smartlist',
  10_000,
  ChangeSmartlistRequest,
  Smartlist,
);
export const removeSmartlist = request('contacts.remove-smartlist', 10_000, RecordId, Smartlist);

/** Counts the rows of a smartlist and fixes the list at this moment: rows that are added later are not in it. */
export const openSmartlist = request(
  'contacts.open-smartlist',
  15_000,
  OpenSmartlistRequest,
  OpenedSmartlist,
  { batch: false },
);

/** Reads rows of an opened smartlist. */
export const readSmartlist = request('contacts.read-smartlist', 15_000, ReadSmartlistRequest, SmartlistRows, {
  batch: false,
});
