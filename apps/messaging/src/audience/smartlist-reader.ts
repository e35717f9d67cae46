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

/** Asks the contacts worker, for the organisation whose work this is. */
@Injectable()
export class SmartlistReader implements OnApplicationBootstrap {
  constructor(private readonly queue: QueueClient) {}

  /** So that the first who ask need not wait for it, or be refused. */
  onApplicationBootstrap(): Promise<void> {
    return this.queue.listen();
  }

  /** @throws AppError 400 with what is wrong with the smartlist; 503 */
  open(request: OpenSmartlistRequest): Promise<OpenedSmartlist> {
    return asked(this.queue.send(openSmartlist, request));
  }

  read(request: ReadSmartlistRequest): Promise<SmartlistRows> {
    return asked(this.queue.send(readSmartlist, request));
  }
}

/** Only reading was asked for: where no answer came, nothing was done. Nor is it the sender who asked too much. */
async function asked<T>(answer: Observable<T>): Promise<T> {
  try {
    return await firstValueFrom(answer);
  } catch (error) {
    if (error instanceof AppError && (error.status === 503 || error.status === 429))
      throw unavailable('Contacts cannot be read at the moment, try again shortly', error);
    throw error;
  }
}
