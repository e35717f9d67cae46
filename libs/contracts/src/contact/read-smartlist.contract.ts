import { defineRequest } from '@gangan/protocol';
import {
  OpenedSmartlist,
  OpenSmartlistRequest,
  ReadSmartlistRequest,
  SmartlistRows,
} from './read-smartlist.dto.js';

const place = { queue: 'contacts', deadlineMs: 15_000, batch: false } as const;

/** Counts a smartlist, and keeps this moment: rows that are added later are none of it. */
export const openSmartlist = defineRequest({
  ...place,
  name: 'contacts.open-smartlist',
  request: OpenSmartlistRequest,
  reply: OpenedSmartlist,
});

/** Some rows of an opened smartlist, whenever that was. */
export const readSmartlist = defineRequest({
  ...place,
  name: 'contacts.read-smartlist',
  request: ReadSmartlistRequest,
  reply: SmartlistRows,
});
