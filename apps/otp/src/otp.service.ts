import {
  type OtpDetails,
  type OtpRecord,
  type OtpsOfRecipientRequest,
  parsePhone,
  type RecordId,
} from '@gangan/contracts';
import { isId, requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { OtpConfig } from './otp.config.js';
import { invalidRecipient, otpNotFound } from './otp.errors.js';
import { type OtpDetailsRow, toDetails, toRecord } from './otp-record.js';
import { type OtpKey, OtpRepository } from './otp.repository.js';

@Injectable()
export class OtpService {
  constructor(
    private readonly repository: OtpRepository,
    private readonly config: OtpConfig,
  ) {}

  async find({ id }: RecordId, context: RequestContext): Promise<OtpDetails> {
    return toDetails(await this.read(toKey(id, context)));
  }

  async list({ recipient, limit }: OtpsOfRecipientRequest, context: RequestContext): Promise<OtpRecord[]> {
    const phone = parsePhone(recipient, this.config.DEFAULT_REGION);
    if (!phone) throw invalidRecipient(recipient);
    const rows = await this.repository.list(requireOrganisationId(context), phone.e164, limit);
    return rows.map(toRecord);
  }

  /** Returns an OTP that has ended unchanged. */
  async revoke({ id }: RecordId, context: RequestContext): Promise<OtpRecord> {
    const key = toKey(id, context);
    await this.repository.revoke(key);
    return toRecord(await this.read(key));
  }

  private async read(key: OtpKey): Promise<OtpDetailsRow> {
    const found = await this.repository.find(key);
    if (!found) throw otpNotFound();
    return found;
  }
}

export function toKey(id: string, context: RequestContext): OtpKey {
  if (!isId(id)) throw otpNotFound();
  return { id: id.toLowerCase(), organisationId: requireOrganisationId(context) };
}
