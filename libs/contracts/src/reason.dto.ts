import type { Reason } from './reasons.js';
import { TextField } from './schema/fields.js';

export class FailureReason implements Reason {
  @TextField('Code for programs', 'dnd')
  code: string;

  @TextField('Message for people', 'The recipient is on the do-not-disturb (DND) list')
  message: string;
}
