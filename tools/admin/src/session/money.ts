import { toNaira, formatNaira } from '@gangan/billing';

/** An amount that is a JSON number to scripts and `1234.50` to people. */
export class Money {
  constructor(readonly kobo: bigint) {}

  get text(): string {
    return formatNaira(this.kobo);
  }

  toJSON(): number {
    return toNaira(this.kobo);
  }
}
