/** One event has at most this many callbacks, so that its job stays small. */
export const maxCallbacksPerEvent = 500;

/** Callbacks that are due, of any organisation. */
export class CallbacksDue {
  /** Absent in events of versions before 0.3, which have one `id`. */
  ids?: string[];
  id?: string;
}
