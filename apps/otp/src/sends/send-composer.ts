import { Prices } from '@gangan/billing';
import type { Channel, ParsedPhone } from '@gangan/contracts';
import type { AppError } from '@gangan/protocol';
import { DataSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';
import { OrganisationRulesCache } from '../organisation-rules.js';
import { OtpConfig } from '../otp.config.js';
import { noPrice } from '../otp.errors.js';
import { checkDestination, createMessage } from './otp-message.js';
import { OtpRoutes } from './otp-routes.js';
import type { SendLimits } from './send-limits.js';

interface SendInput {
  /** The id of the delivery. */
  readonly id: string;
  readonly organisationId: string;
  readonly channel: Channel;
  readonly phone: Pick<ParsedPhone, 'country' | 'e164'>;
  readonly token: string;
  readonly minutes: number;
}

interface ComposedSend {
  readonly sealedBody: Buffer;
  readonly pages: number;
  readonly kobo: bigint;
  readonly limits: SendLimits;
}

/** Prepares the message with a token for one channel. */
@Injectable()
export class SendComposer {
  constructor(
    private readonly rules: OrganisationRulesCache,
    private readonly prices: Prices,
    private readonly sealer: DataSealer,
    private readonly routes: OtpRoutes,
    private readonly config: OtpConfig,
  ) {}

  /** @returns the error if the organisation may not send it, or no provider can; other faults are thrown */
  async compose({
    id,
    organisationId,
    channel,
    phone,
    token,
    minutes,
  }: SendInput): Promise<ComposedSend | AppError> {
    const rules = await this.rules.get(organisationId);
    const { mode, defaultSender: sender, settings } = rules;
    const { body, pages } = createMessage({ channel, token, minutes }, settings, this.config);
    const recipient = phone.e164;
    const route = { id, organisationId, mode, channel, sender, recipient, template: body.template };
    const error = (await this.routes.findError(route)) ?? checkDestination(phone, settings);
    if (error) return error;
    const place = { column: 'delivery.sealed_body', organisationId, id } as const;
    const price = await this.prices.apply(
      organisationId,
      (prices) => prices.tableOf(channel, 'otp').priceOf(recipient),
      (found) => found === undefined,
    );
    if (price === undefined) return noPrice(channel, phone.country);
    return {
      sealedBody: this.sealer.seal(JSON.stringify(body), place),
      pages,
      kobo: BigInt(pages) * price,
      limits: rules,
    };
  }
}
