import { listPointer, object, pointer } from '../schema.js';

/** JSON pointers to the parts of an incoming message, as in `ReportSettings`. */
export interface IncomingSettings {
  /** The list of messages in a JSON document; absent if a request has one message. */
  readonly list?: string;
  /**
   * Tells messages from reports: an item is a message if it has one of these values there; case is ignored. Absent: an item
   * is a message if it has `from`, `to` and `text`.
   */
  readonly when?: { readonly field: string; readonly values: readonly string[] };
  /** Who sent it. */
  readonly from: string;
  /** The number that received it. */
  readonly to: string;
  readonly text: string;
  /** The provider's id of the message, by which duplicates are recognised. */
  readonly id?: string;
  /** When it was sent: a time of ISO 8601, UTC without an offset, or seconds or milliseconds since 1970. */
  readonly time?: string;
}

export const incomingSchema = object(['from', 'to', 'text'], {
  list: listPointer,
  when: object(['field', 'values'], {
    field: pointer,
    values: {
      type: 'array',
      minItems: 1,
      maxItems: 20,
      items: { type: 'string', minLength: 1, maxLength: 256 },
    },
  }),
  from: pointer,
  to: pointer,
  text: pointer,
  id: pointer,
  time: pointer,
});
