import { defineEvent } from '@gangan/protocol';
import { CallbackDue } from './callback.dto.js';

/** Few attempts: the callback's row is the schedule, and whoever finds it overdue sends this event again. */
export const callbackDue = defineEvent({
  queue: 'callback',
  name: 'callback.due',
  event: CallbackDue,
  attempts: 3,
});
