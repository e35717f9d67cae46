import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { LookupReservations } from './lookup-reservations.js';

const restMs = 5_000;
const mostAtOnce = 200;

/** Settles the look-ups that a held wallet or a dead worker left unsettled. */
@Injectable()
export class ReservationSweeper {
  constructor(private readonly reservations: LookupReservations) {}

  @Periodic('settling look-ups that were left', restMs)
  async settle(): Promise<boolean> {
    return (await this.reservations.settleDue(mostAtOnce)) === mostAtOnce;
  }
}
