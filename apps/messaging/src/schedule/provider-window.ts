import type { DeliveryLane } from '@gangan/database';

/** The calls that one provider may have under way. Messages leave one place to OTPs, who also go first. */
export class Places {
  private readonly underWay: Record<DeliveryLane, number> = { otp: 0, sms: 0 };
  private readonly waiting: Record<DeliveryLane, (() => void)[]> = { otp: [], sms: [] };

  constructor(private readonly window: number) {}

  take(lane: DeliveryLane): Promise<void> {
    return new Promise((go) => {
      this.waiting[lane].push(go);
      this.admit();
    });
  }

  free(lane: DeliveryLane): void {
    this.underWay[lane] -= 1;
    this.admit();
  }

  private admit(): void {
    for (const lane of ['otp', 'sms'] as const) {
      while (this.waiting[lane].length > 0 && this.hasRoom(lane)) {
        this.underWay[lane] += 1;
        this.waiting[lane].shift()?.();
      }
    }
  }

  private hasRoom(lane: DeliveryLane): boolean {
    const { otp, sms } = this.underWay;
    return otp + sms < this.window && (lane === 'otp' || sms < Math.max(1, this.window - 1));
  }
}
