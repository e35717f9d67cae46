import { defineRequest, type Dto } from '@gangan/protocol';
import {
  AddContactColumnRequest,
  ChangeContactColumnRequest,
  ContactColumnId,
} from './contact-column.dto.js';
import {
  ContactCellsRequest,
  ContactRowAnswer,
  ContactRowId,
  PatchContactRowRequest,
} from './contact-row.dto.js';
import { ContactTable } from './contact-table.dto.js';
import { ContactRowsPage, QueryContactRowsRequest } from './query-rows.dto.js';
import { ChangeSmartlistRequest, CreateSmartlistRequest, Smartlist, SmartlistId } from './smartlist.dto.js';

const place = { queue: 'contacts', deadlineMs: 10_000 } as const;

/** Whose table or smartlists are meant follows from who asks. */
const nothing: Dto<object> = Object;

export const readContactTable = defineRequest({
  ...place,
  name: 'contacts.table',
  request: nothing,
  reply: ContactTable,
});

export const addContactColumn = defineRequest({
  ...place,
  name: 'contacts.add-column',
  request: AddContactColumnRequest,
  reply: ContactTable,
});

export const changeContactColumn = defineRequest({
  ...place,
  name: 'contacts.change-column',
  request: ChangeContactColumnRequest,
  reply: ContactTable,
});

export const removeContactColumn = defineRequest({
  ...place,
  name: 'contacts.remove-column',
  request: ContactColumnId,
  reply: ContactTable,
});

export const createContactRow = defineRequest({
  ...place,
  name: 'contacts.create-row',
  request: ContactCellsRequest,
  reply: ContactRowAnswer,
});

export const patchContactRow = defineRequest({
  ...place,
  name: 'contacts.patch-row',
  request: PatchContactRowRequest,
  reply: ContactRowAnswer,
});

export const findContactRow = defineRequest({
  ...place,
  name: 'contacts.find-row',
  request: ContactRowId,
  reply: ContactRowAnswer,
});

export const removeContactRow = defineRequest({
  ...place,
  name: 'contacts.remove-row',
  request: ContactRowId,
  reply: ContactRowAnswer,
});

/** In a lane of its own: filters that no index helps read whole tables. */
export const queryContactRows = defineRequest({
  ...place,
  name: 'contacts.query-rows',
  deadlineMs: 20_000,
  batch: false,
  perOrganisation: 4,
  request: QueryContactRowsRequest,
  reply: ContactRowsPage,
});

export const createSmartlist = defineRequest({
  ...place,
  name: 'contacts.create-smartlist',
  request: CreateSmartlistRequest,
  reply: Smartlist,
});

export const listSmartlists = defineRequest({
  ...place,
  name: 'contacts.list-smartlists',
  request: nothing,
  reply: [Smartlist],
});

export const findSmartlist = defineRequest({
  ...place,
  name: 'contacts.find-smartlist',
  request: SmartlistId,
  reply: Smartlist,
});

export const changeSmartlist = defineRequest({
  ...place,
  name: 'contacts.change-smartlist',
  request: ChangeSmartlistRequest,
  reply: Smartlist,
});

export const removeSmartlist = defineRequest({
  ...place,
  name: 'contacts.remove-smartlist',
  request: SmartlistId,
  reply: Smartlist,
});
