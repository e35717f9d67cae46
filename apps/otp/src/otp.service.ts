import {
  type FindOtpRequest,
  type OtpDeliveryEnded,
  type OtpRecord,
  type OtpsOfRecipientRequest,
  parsePhone,
} from '@gangan/contracts';
import { isId, requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { OtpConfig } from './otp.config.js';
import { noSuchOtp, notAPhone } from './otp.errors.js';
import { otpRecord } from './otp-record.js';
import { type Owned, OtpRepository } from './otp.repository.js';

@Injectable()
export class OtpService {
  constructor(
    private readonly repository: OtpRepository,
    private readonly config: OtpConfig,
  ) {}

  async find({ id }: FindOtpRequest, context: RequestContext): Promise<OtpRecord> {
    return await this.read(ownedBy(id, context));
  }

  async list({ recipient, limit }: OtpsOfRecipientRequest, context: RequestContext): Promise<OtpRecord[]> {
    const phone = parsePhone(recipient, this.config.DEFAULT_REGION);
    if (!phone) throw notAPhone();
    const organisationId = requireOrganisationId(context);
    return (await this.repository.list({ organisationId, recipient: phone.e164, limit })).map(otpRecord);
  }

  /** What has ended stays as it ended: the answer tells how, and no token of it is of any use. */
  async revoke({ id }: FindOtpRequest, context: RequestContext): Promise<OtpRecord> {
    const owned = ownedBy(id, context);
    await this.repository.revoke(owned);
    return this.read(owned);
  }

  async deliveryEnded(ended: OtpDeliveryEnded, context: RequestContext): Promise<void> {
    const owned = { id: ended.otp_id, organisationId: requireOrganisationId(context) };
    await this.repository.markUndeliverable(owned, ended.delivery_id);
  }

  private async read(owned: Owned): Promise<OtpRecord> {
    const found = await this.repository.find(owned);
    if (!found) throw noSuchOtp();
    return otpRecord(found);
  }
}

function ownedBy(id: string, context: RequestContext): Owned {
  if (!isId(id)) throw noSuchOtp();
  return { id: id.toLowerCase(), organisationId: requireOrganisationId(context) };
}
