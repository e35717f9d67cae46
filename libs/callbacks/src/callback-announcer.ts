import { callbacksDue, maxCallbacksPerEvent } from '@gangan/contracts';
import { Announcer } from '@gangan/leases';
import { Injectable } from '@nestjs/common';

/** Announces stored callbacks to the callback worker. */
@Injectable()
export class CallbackAnnouncer {
  constructor(private readonly announcer: Announcer) {}

  /** Call it after the commit. Never fails: the worker finds due callbacks that were not announced. */
  announce(ids: readonly string[]): Promise<void> {
    const events = Array.from({ length: Math.ceil(ids.length / maxCallbacksPerEvent) }, (_, index) => ({
      ids: ids.slice(index * maxCallbacksPerEvent, (index + 1) * maxCallbacksPerEvent),
    }));
    return this.announcer.announce(callbacksDue, events);
  }
}
