import type { Lane } from './isolation.js';
import { Occupancy } from './occupancy.js';

export interface Slot {
  /** For an attempt that turned out slow: it holds no slot of the fast any more, if that can be. */
  giveWay(): boolean;
  leave(): void;
}

/** Where an attempt counts; `late` are those of the fast lane that turned out slow. */
export type Place = Lane | 'late';

/** So many times as many attempts as the slow lane has slots may turn out slow. */
const crowding = 4;

/** How many attempts a worker has under way, by lane and organisation. */
export class Slots {
  private readonly places: Record<Place, Occupancy>;

  /** @param changed called with a place where there is an attempt more or less */
  constructor(
    { fast, slow }: Readonly<Record<Lane, number>>,
    private readonly changed: (place: Place, taken: number) => void,
  ) {
    const late = slow * crowding;
    this.places = { fast: new Occupancy(fast), slow: new Occupancy(slow), late: new Occupancy(late) };
  }

  get lanes(): Readonly<Record<Lane, Occupancy>> {
    return this.places;
  }

  take(lane: Lane, organisationId: string): Slot {
    let holding: Place | undefined = lane;
    const move = (place: Place | undefined): void => {
      const left = holding;
      holding = place;
      if (place) this.count(place, organisationId, 1);
      if (left) this.count(left, organisationId, -1);
    };
    this.count(lane, organisationId, 1);
    return {
      giveWay: () => {
        if (holding === 'fast' && this.places.late.freeFor(organisationId) > 0) move('late');
        return holding !== 'fast';
      },
      leave: () => {
        move(undefined);
      },
    };
  }

  private count(place: Place, organisationId: string, more: 1 | -1): void {
    this.places[place].add(organisationId, more);
    this.changed(place, this.places[place].total);
  }
}
