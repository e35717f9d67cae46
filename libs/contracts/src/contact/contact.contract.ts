import { defineRequest, type Dto } from '@gangan/protocol';
import {
  ContactCellsRequest,
  ContactRowAnswer,
  ContactRowId,
  PatchContactRowRequest,
} from './contact-row.dto.js';
import {
  AddContactColumnRequest,
  ChangeContactColumnRequest,
  ContactColumnId,
  ContactTable,
} from './contact-table.dto.js';
import { ContactRowsPage, QueryContactRowsRequest } from './query-rows.dto.js';
import {
  OpenedSmartlist,
  OpenSmartlistRequest,
  ReadSmartlistRequest,
  SmartlistRows,
} from './read-smartlist.dto.js';
import { ChangeSmartlistRequest, CreateSmartlistRequest, Smartlist, SmartlistId } from './smartlist.dto.js';

const defaults = { queue: 'contacts', deadlineMs: 10_000 } as const;

/** The organisation of the context decides whose table or smartlists are read. */
const noFields: Dto<object> = Object;

export const readContactTable = defineRequest({
  ...defaults,
  name: 'contacts.table',
  request: noFields,
  reply: ContactTable,
});

export const addContactColumn = defineRequest({
  ...defaults,
  name: 'contacts.add-column',
  request: AddContactColumnRequest,
  reply: ContactTable,
});

export const changeContactColumn = defineRequest({
  ...defaults,
  name: 'contacts.change-column',
  request: ChangeContactColumnRequest,
  reply: ContactTable,
});

export const removeContactColumn = defineRequest({
  ...defaults,
  name: 'contacts.remove-column',
  request: ContactColumnId,
  reply: ContactTable,
});

export const createContactRow = defineRequest({
  ...defaults,
  name: 'contacts.create-row',
  request: ContactCellsRequest,
  reply: ContactRowAnswer,
});

export const patchContactRow = defineRequest({
  ...defaults,
  name: 'contacts.patch-row',
  request: PatchContactRowRequest,
  reply: ContactRowAnswer,
});

export const findContactRow = defineRequest({
  ...defaults,
  name: 'contacts.find-row',
  request: ContactRowId,
  reply: ContactRowAnswer,
});

export const removeContactRow = defineRequest({
  ...defaults,
  name: 'contacts.remove-row',
  request: ContactRowId,
  reply: ContactRowAnswer,
});

/** Not batched: filters without an index read whole tables. */
export const queryContactRows = defineRequest({
  ...defaults,
  name: 'contacts.query-rows',
  deadlineMs: 20_000,
  batch: false,
  perOrganisation: 4,
  request: QueryContactRowsRequest,
  reply: ContactRowsPage,
});

export const createSmartlist = defineRequest({
  ...defaults,
  name: 'contacts.create-smartlist',
  request: CreateSmartlistRequest,
  reply: Smartlist,
});

export const listSmartlists = defineRequest({
  ...defaults,
  name: 'contacts.list-smartlists',
  request: noFields,
  reply: [Smartlist],
});

export const findSmartlist = defineRequest({
  ...defaults,
  name: 'contacts.find-smartlist',
  request: SmartlistId,
  reply: Smartlist,
});

export const changeSmartlist = defineRequest({
  ...defaults,
  name: 'contacts.change-smartlist',
  request: ChangeSmartlistRequest,
  reply: Smartlist,
});

export const removeSmartlist = defineRequest({
  ...defaults,
  name: 'contacts.remove-smartlist',
  request: SmartlistId,
  reply: Smartlist,
});

/** Counts the rows of a smartlist and fixes the list at this moment: rows that are added later are not in it. */
export const openSmartlist = defineRequest({
  ...defaults,
  name: 'contacts.open-smartlist',
  deadlineMs: 15_000,
  batch: false,
  request: OpenSmartlistRequest,
  reply: OpenedSmartlist,
});

/** Reads rows of an opened smartlist. */
export const readSmartlist = defineRequest({
  ...defaults,
  name: 'contacts.read-smartlist',
  deadlineMs: 15_000,
  batch: false,
  request: ReadSmartlistRequest,
  reply: SmartlistRows,
});
