import {
  type OpenedSmartlist,
  openSmartlist,
  type OpenSmartlistRequest,
  readSmartlist,
  type ReadSmartlistRequest,
  type SmartlistRows,
} from '@gangan/contracts';
import { AppError, unavailable } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { firstValueFrom, type Observable } from 'rxjs';

/** Reads smartlists from the contacts worker, for the organisation of the current context. */
@Injectable()
export class SmartlistReader implements OnApplicationBootstrap {
  constructor(private readonly queue: QueueClient) {}

  /** Subscribes to replies, for which the first request would otherwise wait. */
  onApplicationBootstrap(): Promise<void> {
    return this.queue.listen();
  }

  /** @throws AppError 400 with the errors of the smartlist; 503 */
  open(request: OpenSmartlistRequest): Promise<OpenedSmartlist> {
    return readFrom(this.queue.send(openSmartlist, request));
  }

  read(request: ReadSmartlistRequest): Promise<SmartlistRows> {
    return readFrom(this.queue.send(readSmartlist, request));
  }
}

/** A read has no effects, so an unknown outcome is only unavailable. A 429 is not the sender's fault. */
async function readFrom<T>(reply: Observable<T>): Promise<T> {
  try {
    return await firstValueFrom(reply);
  } catch (error) {
    if (error instanceof AppError && (error.status === 503 || error.status === 429))
      throw unavailable('Contacts cannot be read at the moment. Retry shortly.', error);
    throw error;
  }
}
