import { AppLogger, Repeating } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LookupReservations } from './lookup-reservations.js';

const aboutEveryMs = 5_000;
const atOnce = 200;

/** Settles the look-ups that a held wallet or a dead worker left unsettled. */
@Injectable()
export class ReservationSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly settling: Repeating;

  constructor(reservations: LookupReservations, logger: AppLogger) {
    const settle = async (): Promise<boolean> => (await reservations.settleDue(atOnce)) === atOnce;
    this.settling = new Repeating('settling look-ups that were left', aboutEveryMs, settle, logger);
  }

  onApplicationBootstrap(): void {
    this.settling.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.settling.stop();
  }
}
