import { callbackDue, type CallbackDue } from '@gangan/contracts';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { Nudges } from './dispatch/nudges.js';

@Controller()
export class CallbackHandler {
  constructor(private readonly nudges: Nudges) {}

  /** Waits for nothing: a consumer that hangs must not hold the lane, and what is forgotten here is found overdue. */
  @Handles(callbackDue)
  due({ id }: CallbackDue): void {
    this.nudges.hear(id);
  }
}
